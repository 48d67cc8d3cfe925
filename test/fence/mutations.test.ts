import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { attacks } from '../attack/attacks/index.ts';
import { allMutations } from '../chaos/mutations/all-mutations.ts';
import { scenarios } from '../chaos/scenarios/index.ts';
import { brokenRules } from '../compliance/campaign/broken-rules.ts';

const root = new URL('../../', import.meta.url);

const taken = [
  ...allMutations.map(({ name, edits }) => [`the mutation ${name}`, edits] as const),
  ...attacks.map(
    ({ name, withoutProtection }) => [`the bite of the attack ${name}`, withoutProtection] as const,
  ),
  ...brokenRules.map((rule) => [`the broken calling rule "${rule.name}"`, [rule]] as const),
];

// A change of the sources can silently invalidate a mutation, because mutation runs take half an hour and are rare.
test.each(taken)('%s matches the source exactly once', (_, edits) => {
  for (const { file, find } of edits) {
    const source = readFileSync(new URL(file, root), 'utf8');
    expect([file, source.split(find).length - 1]).toEqual([file, 1]);
  }
});

test('no two mutations share a name, and each names a scenario', () => {
  expect(new Set(allMutations.map(({ name }) => name)).size).toBe(allMutations.length);
  expect(allMutations.filter(({ caughtBy }) => !scenarios.has(caughtBy))).toEqual([]);
});
