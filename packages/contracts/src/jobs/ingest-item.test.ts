import { randomUUID } from 'node:crypto';
import { smallFileBytes } from '@outdial/core';
import { expect, test } from 'vitest';
import { ingestionOf, ingestItemJob } from './ingest-item.ts';

function keysOf(sizeBytes: number): Set<string | undefined> {
  const jobs = Array.from({ length: 500 }, () => ingestionOf({ itemId: randomUUID(), sizeBytes }));
  return new Set(jobs.map((job) => ingestItemJob.deduplicateBy?.(ingestItemJob.payload.parse(job))));
}

test('each larger file has its own job', () => {
  expect(keysOf(smallFileBytes + 1).size).toBe(500);
});

test('many small files share few jobs', () => {
  expect(keysOf(smallFileBytes).size).toBe(8);
});

test('a job of an older publisher, or of the sweep, is for its item', () => {
  const itemId = randomUUID();
  expect(ingestItemJob.deduplicateBy?.(ingestItemJob.payload.parse({ item_id: itemId }))).toBe(itemId);
});
