import { addConsentBody, parseLine, type ImportLine, type RefusedLine } from '@outdial/contracts';
import { itemOfFields, type Numbering } from '@outdial/core';
import type { NewConsent } from '@outdial/db';
import { judgeConsent } from './judge-consent.ts';

export function judgeConsents(
  lines: readonly ImportLine[],
  now: Date,
  numbering: Numbering,
): { consents: NewConsent[]; refused: RefusedLine[] } {
  const consents: NewConsent[] = [];
  const refused: RefusedLine[] = [];
  for (const one of lines) {
    const parsed = parseLine(addConsentBody, one, numbering);
    if ('refused' in parsed) {
      refused.push(parsed.refused);
      continue;
    }
    const judged = judgeConsent(parsed.item, now);
    if ('field' in judged) refused.push({ line: one.line, field: judged.field, reason: judged.msg });
    else consents.push(judged);
  }
  return { consents, refused };
}

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
