import { type ImportLine, judgeLines, type LineFault, numberChangeItem } from '@outdial/contracts';
import type { Numbering } from '@outdial/core';
import type { NewNumberChange } from '@outdial/db';

export const judgeNumberChanges = (lines: readonly ImportLine[], now: Date, numbering: Numbering) =>
  judgeLines(lines, { schema: numberChangeItem, numbering }, (item): NewNumberChange | LineFault => {
    const { phone_number: phoneNumber, kind, changed_at: changedAt, source } = item;
    return changedAt > now
      ? { field: 'changed_at', msg: 'changed_at should not be in the future' }
      : { phoneNumber, kind, changedAt, source };
  });

/** The fields of a row of a table, besides the phone number. */
export const numberChangeFields = ['kind', 'changed_at', 'source'];
