import { numberChangeItem, parseLine, type ImportLine, type RefusedLine } from '@outdial/contracts';
import type { Numbering } from '@outdial/core';
import type { NewNumberChange } from '@outdial/db';

export function judgeNumberChanges(
  lines: readonly ImportLine[],
  now: Date,
  numbering: Numbering,
): { changes: NewNumberChange[]; refused: RefusedLine[] } {
  const changes: NewNumberChange[] = [];
  const refused: RefusedLine[] = [];
  for (const one of lines) {
    const parsed = parseLine(numberChangeItem, one, numbering);
    if ('refused' in parsed) {
      refused.push(parsed.refused);
      continue;
    }
    const { phone_number: phoneNumber, kind, changed_at: changedAt, source } = parsed.item;
    if (changedAt > now) {
      const reason = 'changed_at should not be in the future';
      refused.push({ line: one.line, field: 'changed_at', reason });
    } else changes.push({ phoneNumber, kind, changedAt, source });
  }
  return { changes, refused };
}

/** The fields of a row of a table, besides the phone number. */
export const numberChangeFields = ['kind', 'changed_at', 'source'];
