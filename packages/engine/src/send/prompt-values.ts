import type { ValidationErrorEntry, Warning } from '@outdial/contracts';
import { CodedError, renderPrompt } from '@outdial/core';
import { singleBraceWarnings } from './prompt-warnings.ts';

/** The caller required a value for every placeholder of the prompt. */
export class MissingValuesError extends CodedError {
  readonly code = 'values_missing';
  readonly faults: readonly ValidationErrorEntry[];

  constructor(names: readonly string[]) {
    super('The prompt has placeholders without a value');
    this.faults = names.map((name) => ({
      loc: placeOf(name),
      msg: `The prompt of the agent contains {{${name}}}, which has no value`,
      type: 'missing',
    }));
  }
}

/** The most that an answer names. */
const namesAtMost = 20;

/**
 * What a direct call would say in place of the values that it has not been given.
 * @throws MissingValuesError if `rejects`
 */
export function checkPromptValues(
  prompt: string,
  { promptParams, rejects }: { promptParams: Readonly<Record<string, string>> | null; rejects: boolean },
): { missing: string[]; warnings: Warning[] } {
  const { missing } = renderPrompt(prompt, promptParams ?? {});
  const named = missing.slice(0, namesAtMost);
  if (rejects && named.length > 0) throw new MissingValuesError(named);
  const warnings = named.map((name): Warning => ({
    code: 'prompt_value_missing',
    loc: placeOf(name),
    msg: `The prompt of the agent contains {{${name}}}, which has no value: the person would hear the placeholder`,
  }));
  return { missing, warnings: [...warnings, ...singleBraceWarnings(prompt, ['path', 'agent_id'])] };
}

function placeOf(name: string): string[] {
  return ['body', 'prompt_params', name.slice(0, 64)];
}
