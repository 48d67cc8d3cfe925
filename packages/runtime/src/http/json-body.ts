import { findJsonFault, parseJson } from '@outdial/core';

/** Parses a JSON body, or says what is wrong with it: also what `JSON.parse` would drop without a word (repeated names, digits of large numbers). */
export function readJsonBody(text: string): { json: unknown } | { fault: string } {
  const json = parseJson(text);
  if (json === undefined) return { fault: 'The body is not valid JSON' };
  const lost = findJsonFault(text);
  if (lost === null) return { json };
  const path = lost.path.join('.');
  return {
    fault:
      lost.kind === 'repeated_name'
        ? `The body names ${path} twice`
        : `The number at ${path} has more digits than JSON numbers keep; send it as a string`,
  };
}
