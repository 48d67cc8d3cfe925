import { addConsentBody, type ImportLine, judgeLines } from '@outdial/contracts';
import { itemOfFields, type Numbering } from '@outdial/core';
import { judgeConsent } from './judge-consent.ts';

export const judgeConsents = (lines: readonly ImportLine[], now: Date, numbering: Numbering) =>
  judgeLines(lines, { schema: addConsentBody, numbering }, (item) => judgeConsent(item, now));

/** The fields of a row of a table, besides the phone number. */
export const consentFields = [
  'basis',
  'text_shown',
  'source',
  'evidence_hash',
  'given_at',
  'expires_at',
  'scope',
];

/** Turns a row of a table into the body of a consent. Semicolons or commas separate the purposes in `scope`. */
export function consentOfFields(fields: ReadonlyMap<string, string>): Record<string, unknown> {
  const { scope, ...item } = itemOfFields(fields);
  if (scope === undefined) return item;
  return { ...item, scope: scope.split(/[;,]/).map((purpose) => purpose.trim()) };
}
