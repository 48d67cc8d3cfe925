import {
  type AddConsentBody,
  addConsentBody,
  type ImportLine,
  judgeLines,
  type LineFault,
  numberChangeItem,
} from '@outdial/contracts';
import { itemOfFields, type Numbering, scrubGoodUntil } from '@outdial/core';
import type { NewConsent, NewNumberChange } from '@outdial/db';

export function judgeConsent(body: AddConsentBody, now: Date): NewConsent | LineFault {
  const expiresAt = body.expires_at ?? null;
  if (body.given_at > now) return { field: 'given_at', msg: 'given_at should not be in the future' };
  if (expiresAt !== null && expiresAt <= now) {
    return { field: 'expires_at', msg: 'The consent has expired: expires_at should be in the future' };
  }
  const { scope = null, text_shown = null, evidence_hash = null } = body;
  return { ...body, scope, text_shown, evidence_hash, expires_at: expiresAt };
}

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

export const judgeNumberChanges = (lines: readonly ImportLine[], now: Date, numbering: Numbering) =>
  judgeLines(lines, { schema: numberChangeItem, numbering }, (item): NewNumberChange | LineFault =>
    item.changed_at > now ? { field: 'changed_at', msg: 'changed_at should not be in the future' } : item,
  );

export const numberChangeFields = ['kind', 'changed_at', 'source'];

/** Null if a gate may use a version of this instant. */
export function faultOfScrub(scrubbedAt: Date, goodForDays: number, now: Date): string | null {
  if (scrubbedAt > now) return 'scrubbed_at should not be in the future';
  if (scrubGoodUntil(scrubbedAt, goodForDays) <= now) {
    return `The version is older than the ${goodForDays} days for which it is good: obtain a newer one`;
  }
  return null;
}

export function faultOfOlder(newestAt: Date): string {
  return `The list already has a newer version, of ${newestAt.toISOString()}`;
}

/** @param how what to do if the version is right */
export function faultOfSmaller(
  { numbers, before }: { numbers: number; before: number | null },
  how: string,
): string {
  const than = before === null ? '' : `, after ${before} in the version before`;
  return `The version has ${numbers} numbers${than}. It would replace the list, and those people would be called, so it was refused. If it is right, ${how}`;
}
