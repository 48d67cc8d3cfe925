import { readdirSync, readFileSync } from 'node:fs';
import { createExtractionPool, defaultExtractionLimits } from '@outdial/providers/extraction';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { drawPdf } from './draw-pdf.ts';
import { extractPdf } from './extract-pdf.ts';
import { patientMs } from './time-limits.ts';

/** Mutates documents. The extractor must answer each, and then read a valid file. `FUZZ_RUNS` sets the length of the run. */
const runs = z.coerce
  .number()
  .int()
  .positive()
  .parse(process.env['FUZZ_RUNS'] ?? 40);

const folder = new URL('../../fixtures/documents/', import.meta.url);
const originals = readdirSync(folder)
  .filter((name) => /^(prose|table|chinese|arabic|columns)\..*\.pdf$/.test(name))
  .map((name) => ({ name, bytes: readFileSync(new URL(name, folder)) }));

const good = drawPdf({ pages: ['All is well'] });
const pool = createExtractionPool({
  concurrency: 2,
  limits: {
    ...defaultExtractionLimits,
    // Mutated documents may take any time.
    timeoutMs: ({ sizeBytes }) => (sizeBytes === good.length ? patientMs : 3_000),
    memoryMb: 400,
  },
});
afterAll(() => pool.close());

type Mutation =
  | { kind: 'flip'; at: number; bits: number }
  | { kind: 'cut'; at: number; length: number }
  | { kind: 'repeat'; at: number; length: number; times: number }
  | { kind: 'number'; at: number; value: number };

/** `at` is relative to the file's length. */
const at = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at, bits: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ kind: fc.constant('cut' as const), at, length: fc.integer({ min: 1, max: 500 }) }),
  fc.record({
    kind: fc.constant('repeat' as const),
    at,
    length: fc.integer({ min: 1, max: 200 }),
    times: fc.integer({ min: 1, max: 300 }),
  }),
  fc.record({
    kind: fc.constant('number' as const),
    at,
    value: fc.constantFrom(-1, 0, 65_536, 2 ** 31, 1e15),
  }),
);

function mutate(bytes: Buffer, change: Mutation): Buffer {
  const start = Math.floor(change.at * bytes.length);
  switch (change.kind) {
    case 'flip': {
      const copy = Buffer.from(bytes);
      copy[start] = (copy[start] ?? 0) ^ change.bits;
      return copy;
    }
    case 'cut':
      return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + change.length)]);
    case 'repeat': {
      const piece = bytes.subarray(start, start + change.length);
      const copies = Array.from({ length: change.times }, () => piece);
      return Buffer.concat([bytes.subarray(0, start), ...copies, bytes.subarray(start)]);
    }
    case 'number':
      // Changes the next number in the file: an offset, a length or a reference.
      return Buffer.from(
        bytes.toString('latin1', 0, start) +
          bytes.toString('latin1', start).replace(/\d+/, String(change.value)),
        'latin1',
      );
  }
}

test(
  'mutated documents are answered, and the next document is read',
  async () => {
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...originals),
        fc.array(mutation, { minLength: 1, maxLength: 8 }),
        async (original, changes) => {
          const mutated = changes.reduce(mutate, original.bytes);
          const result = await extractPdf(pool, mutated);
          const outcome = result.kind === 'failed' ? result.failure.code : result.kind;
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          expect(['crashed', 'file_missing']).not.toContain(outcome);
          expect(await extractPdf(pool, good)).toMatchObject({
            kind: 'extracted',
            text: { pages: ['All is well'] },
          });
        },
      ),
      { numRuns: runs, endOnFailure: true },
    );
    console.log(JSON.stringify(Object.fromEntries(outcomes)));
  },
  // Each run may kill a process, and wait for the next one.
  60_000 + runs * 20_000,
);
