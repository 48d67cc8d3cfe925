import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { blockRuns } from './block-runs.ts';
import { pageBlocks } from './page-blocks.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('every block of every page is run by a test, or has a reason why none can', () => {
  expect(pageBlocks().map(({ id }) => id)).toEqual(Object.keys(blockRuns).toSorted(inOrderOfPages));
});

test('the tests that run blocks exist', () => {
  const missing = Object.values(blockRuns).filter((run) => 'by' in run && !existsSync(`${root}${run.by}`));
  expect(missing).toEqual([]);
});

function inOrderOfPages(a: string, b: string): number {
  const [[pageOfA = '', atA], [pageOfB = '', atB]] = [a.split('#'), b.split('#')];
  if (pageOfA === pageOfB) return Number(atA) - Number(atB);
  return pageOfA < pageOfB ? -1 : 1;
}
