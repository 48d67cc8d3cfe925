import { addConsentBody, faultMessage } from '@outdial/contracts';
import { parsePhoneNumber } from '@outdial/core';
import type { NewConsent } from '@outdial/db';
import { judgeConsent } from './judge-consent.ts';

/** One of many consents, as it was sent, and its position. */
export interface ConsentItem {
  line: number;
  item: Record<string, unknown>;
}

export interface RefusedConsent {
  line: number;
  field: string | null;
  reason: string;
}

/** The acceptable consents of a list, and the fault of each other one. */
export function judgeConsents(
  items: readonly ConsentItem[],
  now: Date,
): { consents: NewConsent[]; refused: RefusedConsent[] } {
  const consents: NewConsent[] = [];
  const refused: RefusedConsent[] = [];
  for (const { line, item } of items) {
    const parsed = addConsentBody.safeParse(item, { error: faultMessage });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const field = issue?.path[0];
      refused.push({ line, field: field === undefined ? null : String(field), reason: issue?.message ?? '' });
      continue;
    }
    const judged = judgeConsent(parsed.data, now);
    if ('field' in judged) refused.push({ line, field: judged.field, reason: judged.msg });
    else consents.push(judged);
  }
  return { consents, refused };
}

const phoneColumns = ['phone', 'phone_number', 'to', 'to_phone', 'number'];
const otherColumns = ['basis', 'text_shown', 'source', 'evidence_hash', 'given_at', 'expires_at'];

/**
 * Turns a row of a table into the body of a consent. Other columns are ignored, and empty cells count as missing. Purposes in `scope` are
 * separated by semicolons or commas. Numbers may contain spaces, dashes and brackets.
 */
export function consentOfCells(
  cells: ReadonlyMap<string, string>,
  country: string | undefined,
): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const [name, text] of cells) {
    const column = name.trim().toLowerCase();
    const value = text.trim();
    if (value === '') continue;
    if (phoneColumns.includes(column)) {
      const parsed = parsePhoneNumber(value, country);
      item['phone_number'] = parsed.kind === 'invalid' ? value : parsed.e164;
    } else if (column === 'scope') {
      item['scope'] = value.split(/[;,]/).map((purpose) => purpose.trim());
    } else if (otherColumns.includes(column)) item[column] = value;
  }
  return item;
}
