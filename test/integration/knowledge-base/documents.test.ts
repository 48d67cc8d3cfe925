import { readFile } from 'node:fs/promises';
import { decideFileKind } from '@outdial/core';
import { createExtractionPool, defaultExtractionLimits, openBox } from '@outdial/providers/extraction';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { patientMs } from './time-limits.ts';

/** Valid and broken documents of many producers, with known text. `test/fixtures/documents/generate` describes how they were made. */
const folder = new URL('../../fixtures/documents/', import.meta.url);
const expectation = z.object({
  file: z.string(),
  producer: z.string(),
  fileType: z.enum(['PDF', 'TXT']),
  texts: z.array(z.string()),
  rows: z.array(z.string()).default([]),
  pages: z.int().optional(),
  failure: z.string().optional(),
  refused: z.boolean().default(false),
});
const documents = z
  .array(expectation)
  .parse(JSON.parse(await readFile(new URL('manifest.json', folder), 'utf8')));

// With a worker's settings on this machine.
const { box } = await openBox();
const openPool = (timeoutMs: number) =>
  createExtractionPool({
    concurrency: 1,
    limits: { ...defaultExtractionLimits, timeoutMs, memoryMb: 512 },
    box,
  });
const patient = openPool(patientMs);
// For the endless document.
const impatient = openPool(1_000);
afterAll(() => Promise.all([patient.close(), impatient.close()]));

async function extract(file: string, pool = patient) {
  const bytes = await readFile(new URL(file, folder));
  const kind = decideFileKind(bytes.subarray(0, 64 * 1024));
  if (kind.kind === 'refused') return { refused: kind.reason };
  async function* stream() {
    yield bytes;
  }
  const request = { fileType: kind.fileType, sizeBytes: bytes.length, bytes: stream() };
  const result = await pool.extract(request, new AbortController().signal);
  return { fileType: kind.fileType, result };
}

const readable = documents.filter((document) => document.failure === undefined && !document.refused);
const broken = documents.filter((document) => document.failure !== undefined);
const refused = documents.filter((document) => document.refused);

/** Ignores white space, which layout determines, and page numbers. */
function flatten(pages: readonly string[]): string {
  const bodies = pages.map((page) => page.replace(/\n\n-?\d+-?$/, ''));
  const text = bodies.map((body) => (/\p{L}-$/u.test(body) ? body.slice(0, -1) : `${body}\n`)).join('');
  return text.replaceAll(/\s+/g, ' ');
}

test('there are enough of them', () => {
  expect(readable.length).toBeGreaterThan(60);
  expect(new Set(documents.map((document) => document.producer)).size).toBeGreaterThan(6);
});

describe('the text of documents', () => {
  test.each(readable)('$file', async ({ file, fileType, texts, rows, pages }) => {
    const extracted = await extract(file);
    expect(extracted).toMatchObject({ fileType, result: { kind: 'extracted' } });
    if (extracted.result?.kind !== 'extracted') return;
    const { text } = extracted.result;
    const flat = flatten(text.pages);
    let at = 0;
    for (const wanted of texts) {
      const plain = wanted.replaceAll(/\s+/g, ' ');
      const found = flat.indexOf(plain, at);
      expect({ wanted: plain, in: flat, found: found >= 0 }).toMatchObject({ found: true });
      at = found + plain.length;
    }
    expect(text.pages.join('\n').split('\n')).toEqual(expect.arrayContaining(rows));
    expect(text.pages).toHaveLength(pages ?? text.pages.length);
  });
});

describe('documents that cannot be read', () => {
  test.each(broken)('$file fails as $failure', async ({ file, failure }) => {
    const { result } = await extract(file, failure === 'time_limit' ? impatient : patient);
    expect(result).toMatchObject({ kind: 'failed', failure: { code: failure } });
  });

  test.each(refused)('$file is refused', async ({ file }) => {
    expect(await extract(file)).toHaveProperty('refused');
  });
});
