import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { longFiles } from './left-to-ci.ts';

test('every file left to .ci/run exists, because a renamed one would run with the others', () => {
  expect(longFiles.filter((file) => !existsSync(new URL(`../../${file}`, import.meta.url)))).toEqual([]);
});
