import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { useIngestion } from './ingestion-world.ts';
import { patientMs } from './time-limits.ts';

const { newBase, uploaded, statusOf, work } = await useIngestion();
const endless = await readFile(new URL('../../fixtures/documents/endless-loop.pdf', import.meta.url));
/** Adds padding, so that each file has different content and a chosen size. */
const variant = (at: number, padding = 0) =>
  Buffer.concat([endless, Buffer.from(`\n%${' '.repeat(padding)} variant ${at}\n%%EOF\n`)]);

test('a flood of slow files from one organization does not block others', async () => {
  const [greedy, modest] = [await newBase(), await newBase()];
  const small = Array.from({ length: 10 }, (_, at) => variant(at));
  const large = Array.from({ length: 10 }, (_, at) => variant(at, 300_000));
  const flood = await uploaded(greedy, [...small, ...large]);
  // None of these files is finished before the test ends.
  work({ extraction: { timeoutMs: patientMs } });
  await waitFor('the flood to be read', async () => {
    const states = await Promise.all(flood.map((id) => statusOf(greedy, id)));
    return states.includes('processing');
  });
  for (const content of ['a short text', 'x'.repeat(300_000)]) {
    const [theirs = ''] = await uploaded(modest, [content]);
    await waitFor('the other to be served', async () => (await statusOf(modest, theirs)) === 'ready');
  }
  for (const id of flood) expect(['pending', 'processing']).toContain(await statusOf(greedy, id));
});
