import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allMutations } from '../chaos/mutations/all-mutations.ts';
import { scenarios } from '../chaos/scenarios/index.ts';

// docs/promises.md names what proves each promise: scenarios, and the mutations that they catch.

const root = fileURLToPath(new URL('../../', import.meta.url));
const mutations = new Map(allMutations.map((mutation) => [mutation.name, mutation]));
const testFiles = new Set(
  globSync('test/integration/**/*.test.ts', { cwd: root }).map((file) => basename(file, '.test.ts')),
);

/** The names of each row of the tables whose last column names mutations. */
const rows = readFileSync(`${root}docs/promises.md`, 'utf8')
  .split('\n\n')
  .filter((block) => /^\|.*\| mutation[^|]*\|\n/.test(block.trimStart()))
  .flatMap((table) => table.trim().split('\n').slice(2))
  .map((row) => {
    const names = [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    return { row: row.replaceAll(/ {2,}/g, ' '), names };
  });
const named = new Set(rows.flatMap(({ names }) => names));

test('docs/promises.md names scenarios, mutations and tests that there are', () => {
  expect(rows.length).toBeGreaterThan(60);
  const isKnown = (name: string) => scenarios.has(name) || mutations.has(name) || testFiles.has(name);
  expect([...named].filter((name) => !isKnown(name))).toEqual([]);
});

test('docs/promises.md names every scenario', () => {
  expect([...scenarios.keys()].filter((name) => !named.has(name))).toEqual([]);
});

test('docs/promises.md names every mutation beside its scenario', () => {
  const lacks = rows.flatMap(({ row, names }) =>
    names.filter((name) => !names.includes(mutations.get(name)?.caughtBy ?? name)).map((name) => [name, row]),
  );
  expect(lacks).toEqual([]);
  // Those of single conditions have one row for each caller.
  const ofConditions = /^conditionsOf/;
  const missing = allMutations.filter(
    ({ name, caughtBy }) => !named.has(name) && !ofConditions.test(caughtBy),
  );
  expect(missing.map(({ name, caughtBy }) => `${name}: ${caughtBy}`)).toEqual([]);
});
