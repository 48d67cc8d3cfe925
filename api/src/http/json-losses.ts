import { findJsonFault } from '@outdial/core';
import { MalformedRequestError, ValidationError } from './errors.ts';

/**
 * Refuses JSON of which reading would lose something: a name that occurs twice in an object, or digits of a number.
 * @param text valid JSON
 * @param at its place in the request
 * @throws MalformedRequestError · ValidationError
 */
export function refuseLosses(text: string, at: readonly string[]): void {
  const fault = findJsonFault(text);
  if (fault === null) return;
  const steps = fault.path.map((step) =>
    typeof step === 'string' ? step.toWellFormed().slice(0, 100) : step,
  );
  if (fault.kind === 'repeated_name') {
    const where = [...at, ...steps.slice(0, -1)].join('.');
    throw new MalformedRequestError(
      'repeated_json_name',
      `The name "${steps.at(-1)}" occurs twice in ${where === 'body' ? 'the body' : where}, so one of its values would be lost`,
    );
  }
  throw new ValidationError([
    {
      loc: [...at, ...steps],
      msg: 'The number has more digits than are kept: send it as text, in quotation marks',
      type: 'value_error',
    },
  ]);
}
