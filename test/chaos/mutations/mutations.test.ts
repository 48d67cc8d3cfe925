import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { brokenRules } from '../../compliance/campaign/broken-rules.ts';
import { scenarios } from '../scenarios/index.ts';
import { allMutations } from './all-mutations.ts';
import { editedText } from './checkout-copy.ts';
import type { Edit } from './mutation.ts';

/** Applies edits to the sources in memory. @throws EditDoesNotApplyError */
function apply(edits: readonly Edit[]): void {
  const texts = new Map<string, string>();
  for (const edit of edits) {
    const text =
      texts.get(edit.file) ?? readFileSync(new URL(`../../../${edit.file}`, import.meta.url), 'utf8');
    texts.set(edit.file, editedText(text, edit));
  }
}

describe('a mutation', () => {
  test.each(allMutations)('$name applies to the sources, and names a scenario', ({ edits, caughtBy }) => {
    expect(() => apply(edits)).not.toThrow();
    expect(scenarios.has(caughtBy)).toBe(true);
  });

  test('has a unique name', () => {
    expect(new Set(allMutations.map(({ name }) => name)).size).toBe(allMutations.length);
  });
});

describe('a broken calling rule', () => {
  test.each(brokenRules)('"$name" applies to the sources', (rule) => {
    expect(() => apply([rule])).not.toThrow();
  });
});
