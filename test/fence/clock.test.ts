import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
/** A comparison with the bare function. In `(select engine_now())`, Postgres calls it once and can look the value up in an index. */
const comparesWithClock =
  /(?:[<>]=?|between)\s[^'\n]*(?<!\(select )engine_now\(\)|(?<!\(select )engine_now\(\)\s*(?:[<>]|between)/;

test('no query compares rows with a bare engine_now(), which Postgres calls for each row', () => {
  const found = globSync('{db,packages/*,api,worker,scheduler}/src/**/*.ts', { cwd: root }).flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        comparesWithClock.test(line.replace(/^.*?sql(?:<.*>)?`/, '')) ? [`${file}:${at + 1}`] : [],
      ),
  );
  expect(found).toEqual([]);
});
