import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { longFiles } from './left-to-ci.ts';

test('each file that is left to .ci/run is there: one that was renamed would run with the others', () => {
  expect(longFiles.filter((file) => !existsSync(new URL(`../../${file}`, import.meta.url)))).toEqual([]);
});
