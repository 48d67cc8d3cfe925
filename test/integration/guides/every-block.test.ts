import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { blockRuns } from './block-runs.ts';
import { blocksOf, pageBlocks } from './page-blocks.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('every block of every page is run by a test, or has a reason why none can', () => {
  expect(pageBlocks().map(({ id }) => id)).toEqual(Object.keys(blockRuns).toSorted(inOrderOfPages));
});

test('the tests that run blocks exist, and every reason is a sentence', () => {
  const runs = Object.values(blockRuns);
  const missing = runs.filter((run) => 'by' in run && !existsSync(`${root}${run.by}`));
  const unreasoned = runs.filter((run) => 'cannot' in run && run.cannot.split(' ').length < 5);
  expect([...missing, ...unreasoned]).toEqual([]);
});

test('a block is found with its language, without its indentation, and numbered in its page', () => {
  const page =
    'One:\n\n   ```sh\n   npm start\n     more\n   ```\n\n```json\n{}\n```\n\n```ts\nlet a;\n```\n';
  expect(blocksOf('docs/x.md', page)).toEqual([
    { page: 'docs/x.md', id: 'docs/x.md#1', language: 'sh', text: 'npm start\n  more\n' },
    { page: 'docs/x.md', id: 'docs/x.md#2', language: 'ts', text: 'let a;\n' },
  ]);
});

function inOrderOfPages(a: string, b: string): number {
  const [[pageOfA = '', atA], [pageOfB = '', atB]] = [a.split('#'), b.split('#')];
  if (pageOfA === pageOfB) return Number(atA) - Number(atB);
  return pageOfA < pageOfB ? -1 : 1;
}
