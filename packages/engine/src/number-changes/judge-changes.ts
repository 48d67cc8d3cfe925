import { numberChangeItem } from '@outdial/contracts';
import { parsePhoneNumber } from '@outdial/core';
import type { NewNumberChange } from '@outdial/db';

/** One of many changes, as it was sent, and where it stood. */
export interface NumberChangeLine {
  line: number;
  item: Record<string, unknown>;
}

interface RefusedChange {
  line: number;
  field: string | null;
  reason: string;
}

/** The changes of a list that can be taken, and what is wrong with each of the others. */
export function judgeNumberChanges(
  items: readonly NumberChangeLine[],
  now: Date,
): { changes: NewNumberChange[]; refused: RefusedChange[] } {
  const changes: NewNumberChange[] = [];
  const refused: RefusedChange[] = [];
  for (const { line, item } of items) {
    const parsed = numberChangeItem.safeParse(item);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const field = issue?.path[0];
      refused.push({ line, field: field === undefined ? null : String(field), reason: issue?.message ?? '' });
      continue;
    }
    const { phone_number: phoneNumber, kind, changed_at: changedAt, source } = parsed.data;
    if (changedAt > now) {
      refused.push({ line, field: 'changed_at', reason: 'changed_at should not be in the future' });
    } else changes.push({ phoneNumber, kind, changedAt, source });
  }
  return { changes, refused };
}

const phoneColumns = ['phone', 'phone_number', 'to', 'to_phone', 'number'];
const otherColumns = ['kind', 'changed_at', 'source'];

/** A row of a table as an item. Columns of other names are left alone, and numbers may be written with spaces, dashes and brackets. */
export function numberChangeOfCells(
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
    } else if (otherColumns.includes(column)) item[column] = value;
  }
  return item;
}
