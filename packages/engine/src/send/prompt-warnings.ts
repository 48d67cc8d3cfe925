import type { Warning } from '@outdial/contracts';
import { singleBracedNames } from '@outdial/core';

/** Warns of placeholders in single braces. @param loc the field in which to fix the prompt */
export function singleBraceWarnings(prompt: string | null | undefined, loc: readonly string[]): Warning[] {
  return singleBracedNames(prompt ?? '').map((name) => ({
    code: 'prompt_single_braces',
    loc: [...loc],
    msg: `The prompt contains {${name}} in single braces, which is not replaced: write {{${name}}} to insert a value of the recipient`,
  }));
}
