import { readFile } from 'node:fs/promises';
import type { ExtractionResult, TextExtractor } from '@outdial/core';
import { createExtractionPool, defaultExtractionLimits } from '@outdial/providers/extraction';
import { afterAll, describe, expect, test } from 'vitest';
import { isFullRun } from '../../support/full-run.ts';
import { drawPdf } from './draw-pdf.ts';
import { limitFor, patientMs } from './time-limits.ts';

const documents = new URL('../../fixtures/documents/', import.meta.url);
const bomb = await readFile(new URL('decompression-bomb.pdf', documents));
const endless = await readFile(new URL('endless-loop.pdf', documents));
const open: TextExtractor[] = [];
afterAll(() => Promise.all(open.map((pool) => pool.close())));

function openPool(limits: Partial<typeof defaultExtractionLimits> = {}, concurrency = 1): TextExtractor {
  const patient = { ...defaultExtractionLimits, timeoutMs: patientMs };
  const pool = createExtractionPool({ concurrency, limits: { ...patient, ...limits } });
  open.push(pool);
  return pool;
}

/** One pool for all tests of its limits, because its processes take a second of CPU time to start. */
function sharedPool(limits: Partial<typeof defaultExtractionLimits> = {}): () => TextExtractor {
  let pool: TextExtractor | undefined;
  return () => (pool ??= openPool(limits));
}

const ordinaryPool = sharedPool();
const impatientPool = sharedPool({ timeoutMs: limitFor([endless], 1_500) });

function extract(pool: TextExtractor, bytes: Uint8Array, signal?: AbortSignal): Promise<ExtractionResult> {
  async function* stream() {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  }
  return pool.extract(
    { fileType: 'PDF', sizeBytes: bytes.length, bytes: stream() },
    signal ?? new AbortController().signal,
  );
}

const good = drawPdf({ pages: ['All is well'] });
const isGood = { kind: 'extracted', text: { pages: ['All is well'] } };

// A busy machine reads slowly.
describe('a harmful file fails alone', () => {
  test('a decompression bomb', async () => {
    const pool = openPool({ memoryMb: 300 });
    expect(await extract(pool, bomb)).toMatchObject({ kind: 'failed', failure: { code: 'memory_limit' } });
    expect(await extract(pool, good)).toMatchObject(isGood);
  });

  test.runIf(isFullRun)('ten thousand pages, real and pretended', async () => {
    const pool = ordinaryPool();
    const pages = Array.from({ length: 10_000 }, (_, at) => `Page ${at + 1}`);
    expect(await extract(pool, drawPdf({ pages }))).toMatchObject({
      kind: 'failed',
      failure: { code: 'too_many_pages' },
    });
    const boastful = drawPdf({ pages: ['One'], pageCount: 2_000_000_000 });
    expect(await extract(pool, boastful)).toMatchObject({ kind: 'extracted', text: { pages: ['One'] } });
  });

  test.runIf(isFullRun)('a million objects', async () => {
    const result = await extract(ordinaryPool(), drawPdf({ pages: ['Needle'], extraObjects: 1_000_000 }));
    expect(result).toMatchObject({ kind: 'extracted', text: { pages: ['Needle'] } });
  });

  test('more text than is allowed', async () => {
    const pool = openPool({ maxTextChars: 5 });
    expect(await extract(pool, good)).toMatchObject({ kind: 'failed', failure: { code: 'too_much_text' } });
  });
});

describe('the next file', () => {
  test('is read after a killed one', async () => {
    const pool = impatientPool();
    expect(await extract(pool, good)).toMatchObject(isGood);
    expect(await extract(pool, endless)).toMatchObject({ kind: 'failed', failure: { code: 'time_limit' } });
    expect(await extract(pool, good)).toMatchObject(isGood);
  });

  test.runIf(isFullRun)('does not wait for a slow one if there are two slots', async () => {
    const pool = openPool({}, 2);
    const stop = new AbortController();
    const slow = extract(pool, endless, stop.signal);
    for (let count = 0; count < 5; count++) expect(await extract(pool, good)).toMatchObject(isGood);
    stop.abort(new Error('seen enough'));
    await expect(slow).rejects.toThrow('seen enough');
  });
});

describe('the pool', () => {
  test('stops an aborted extraction, and continues', async () => {
    const pool = ordinaryPool();
    const giveUp = new AbortController();
    const given = extract(pool, endless, giveUp.signal);
    giveUp.abort(new Error('given up'));
    await expect(given).rejects.toThrow('given up');
    expect(await extract(pool, good)).toMatchObject(isGood);
  });

  test('reports a file of the wrong length, and continues', async () => {
    const pool = ordinaryPool();
    async function* stream() {
      yield good;
    }
    for (const sizeBytes of [good.length - 1, good.length + 1]) {
      const request = { fileType: 'PDF' as const, sizeBytes, bytes: stream() };
      await expect(pool.extract(request, new AbortController().signal)).rejects.toMatchObject({
        code: 'file_size',
      });
    }
    expect(await extract(pool, good)).toMatchObject(isGood);
  });

  test('rejects extractions in progress when it is closed', async () => {
    const pool = openPool();
    const [unfinished] = await Promise.allSettled([extract(pool, endless), pool.close()]);
    expect(unfinished).toMatchObject({ status: 'rejected', reason: { code: 'extractor_closed' } });
    await expect(extract(pool, good)).rejects.toMatchObject({ code: 'extractor_closed' });
  });
});
