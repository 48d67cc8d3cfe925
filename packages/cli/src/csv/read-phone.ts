import { faultOfNumber, maskText, type Numbering, parsePhoneNumber } from '@outdial/core';

/** Reads the number in a cell, or says what follows "line 3" in a message. */
export function readPhone(
  text: string,
  numbering: Numbering,
): { kind: 'ok'; e164: string } | { kind: 'fault'; message: string } {
  const parsed = parsePhoneNumber(text, numbering);
  if (parsed.kind !== 'invalid') return parsed;
  const shown = text.trim() === '' ? '' : ` ("${maskText(text.trim())}")`;
  return { kind: 'fault', message: `${faultOfNumber(parsed, '--')}${shown}` };
}
