import { readFile } from 'node:fs/promises';
import type { TextExtractor } from '@outdial/core';
import { createExtractionPool, defaultExtractionLimits } from '@outdial/providers/extraction';
import { afterAll, describe, expect, test } from 'vitest';
import { isFullRun } from '../../support/full-run.ts';
import { drawPdf } from './draw-pdf.ts';
import { extractPdf } from './extract-pdf.ts';
import { limitFor, patientMs } from './time-limits.ts';

const documents = new URL('../../fixtures/documents/', import.meta.url);
const endless = await readFile(new URL('endless-loop.pdf', documents));
const open: TextExtractor[] = [];
afterAll(() => Promise.all(open.map((pool) => pool.close())));

function openPool(limits: Partial<typeof defaultExtractionLimits> = {}): TextExtractor {
  const patient = { ...defaultExtractionLimits, timeoutMs: patientMs };
  const pool = createExtractionPool({ concurrency: 1, limits: { ...patient, ...limits } });
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

const good = drawPdf({ pages: ['All is well'] });
const isGood = { kind: 'extracted', text: { pages: ['All is well'] } };

// A busy machine reads slowly.
describe('a harmful file fails alone', () => {
  test.runIf(isFullRun)('ten thousand pages, real and pretended', async () => {
    const pool = ordinaryPool();
    const pages = Array.from({ length: 10_000 }, (_, at) => `Page ${at + 1}`);
    expect(await extractPdf(pool, drawPdf({ pages }))).toMatchObject({
      kind: 'failed',
      failure: { code: 'too_many_pages' },
    });
    const boastful = drawPdf({ pages: ['One'], pageCount: 2_000_000_000 });
    expect(await extractPdf(pool, boastful)).toMatchObject({ kind: 'extracted', text: { pages: ['One'] } });
  });

  test.runIf(isFullRun)('a million objects', async () => {
    const result = await extractPdf(ordinaryPool(), drawPdf({ pages: ['Needle'], extraObjects: 1_000_000 }));
    expect(result).toMatchObject({ kind: 'extracted', text: { pages: ['Needle'] } });
  });

  test('more text than is allowed', async () => {
    const pool = openPool({ maxTextChars: 5 });
    expect(await extractPdf(pool, good)).toMatchObject({
      kind: 'failed',
      failure: { code: 'too_much_text' },
    });
  });
});

describe('the next file', () => {
  test('is read after a killed one', async () => {
    const pool = impatientPool();
    expect(await extractPdf(pool, good)).toMatchObject(isGood);
    expect(await extractPdf(pool, endless)).toMatchObject({
      kind: 'failed',
      failure: { code: 'time_limit' },
    });
    expect(await extractPdf(pool, good)).toMatchObject(isGood);
  });
});

describe('the pool', () => {
  test('stops an aborted extraction, and continues', async () => {
    const pool = ordinaryPool();
    const giveUp = new AbortController();
    const given = extractPdf(pool, endless, { signal: giveUp.signal });
    giveUp.abort(new Error('given up'));
    await expect(given).rejects.toThrow('given up');
    expect(await extractPdf(pool, good)).toMatchObject(isGood);
  });

  test('reports a file of the wrong length, and continues', async () => {
    const pool = ordinaryPool();
    for (const sizeBytes of [good.length - 1, good.length + 1]) {
      await expect(extractPdf(pool, good, { sizeBytes })).rejects.toMatchObject({ code: 'file_size' });
    }
    expect(await extractPdf(pool, good)).toMatchObject(isGood);
  });

  test('rejects extractions in progress when it is closed', async () => {
    const pool = openPool();
    const [unfinished] = await Promise.allSettled([extractPdf(pool, endless), pool.close()]);
    expect(unfinished).toMatchObject({ status: 'rejected', reason: { code: 'extractor_closed' } });
    await expect(extractPdf(pool, good)).rejects.toMatchObject({ code: 'extractor_closed' });
  });
});
