import { instant } from '@outdial/contracts';
import type { NewSuppression } from '@outdial/db';

/** The fields of a row of a table, besides the phone number. */
export const suppressionFields = ['reason', 'note', 'expires_at'];

/** The details of a row, shortened to what is stored, or why it is refused. */
export function suppressionOfFields(
  fields: ReadonlyMap<string, string>,
): Omit<NewSuppression, 'phoneNumber'> | { fault: string } {
  const end = fields.get('expires_at') ?? '';
  const expiresAt = end === '' ? null : instant.safeParse(end);
  if (expiresAt?.success === false) {
    return {
      fault: 'expires_at should be an ISO 8601 date-time with an offset, such as 2026-03-01T09:00:00Z',
    };
  }
  return {
    reason: fields.get('reason')?.slice(0, 500) || null,
    note: fields.get('note')?.slice(0, 2_000) || null,
    expiresAt: expiresAt?.data ?? null,
  };
}

/** Adds a row, unless one before it protects the same person as long. Returns whether its number occurred before. */
export function keepLongest(rows: Map<string, NewSuppression>, row: NewSuppression): boolean {
  const before = rows.get(row.phoneNumber);
  if (before === undefined || endOf(before) < endOf(row)) rows.set(row.phoneNumber, row);
  return before !== undefined;
}

const endOf = ({ expiresAt }: NewSuppression) => expiresAt?.getTime() ?? Infinity;
