import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allMutations } from '../chaos/mutations/all-mutations.ts';

const root = new URL('../../', import.meta.url);

// A change of the sources takes the ground from a mutation without a word: the mutations run for half an hour, and seldom.
test.each(allMutations.map((mutation) => [mutation.name, mutation] as const))(
  'the mutation %s still finds what it takes out, exactly once',
  (_, { edits }) => {
    for (const { file, find } of edits) {
      const source = readFileSync(new URL(file, root), 'utf8');
      expect([file, source.split(find).length - 1]).toEqual([file, 1]);
    }
  },
);
