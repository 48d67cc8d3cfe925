import { type ImportedSuppression, instant, suppressionsAtMost, type Warning } from '@outdial/contracts';
import { faultOfNumber, maskPhoneNumber, type Numbering, parsePhoneNumber } from '@outdial/core';
import type { NewSuppression } from '@outdial/db';
import { readTable } from '../../http/table-upload.ts';

/** A refused row, with its number masked. */
export interface RefusedRow {
  line: number;
  phone_number: string;
  reason: string;
}

type Row = ImportedSuppression & { line: number };

/** The rows of a CSV or XLSX file. @throws ValidationError */
export async function readFile(
  bytes: Buffer,
  args: { mapping: string | null | undefined; numbering: Numbering },
): Promise<{ items: Row[]; refused: RefusedRow[]; warnings: Warning[] }> {
  const {
    items: read,
    faults,
    warnings,
  } = await readTable(bytes, { ...args, rowsAtMost: suppressionsAtMost }, rowOf);
  return {
    warnings,
    items: read.flatMap((row) => ('refused' in row ? [] : [row])),
    refused: [
      ...faults.map(({ line, reason }) => ({ line, phone_number: '•••', reason })),
      ...read.flatMap((row) => ('refused' in row ? [row.refused] : [])),
    ],
  };
}

function rowOf(fields: ReadonlyMap<string, string>, line: number): Row | { refused: RefusedRow } {
  const number = fields.get('phone_number') ?? '';
  const end = fields.get('expires_at') ?? '';
  const expiresAt = end === '' ? null : instant.safeParse(end);
  if (expiresAt !== null && !expiresAt.success) {
    const reason = 'expires_at should be an ISO 8601 date-time with an offset, such as 2026-03-01T09:00:00Z';
    return { refused: { line, phone_number: maskPhoneNumber(number), reason } };
  }
  return {
    line,
    phone_number: number.slice(0, 100),
    reason: fields.get('reason')?.slice(0, 500) || null,
    note: fields.get('note')?.slice(0, 2_000) || null,
    expires_at: expiresAt?.data ?? null,
  };
}

/** Each number once. Of rows that repeat it, the one counts that protects the person the longest. */
export function judgeRows(
  items: readonly Row[],
  numbering: Numbering,
): { suppressions: Map<string, NewSuppression>; repeated: number; refused: RefusedRow[] } {
  const suppressions = new Map<string, NewSuppression>();
  const refused: RefusedRow[] = [];
  let repeated = 0;
  for (const item of items) {
    const parsed = parsePhoneNumber(item.phone_number, numbering);
    if (parsed.kind === 'invalid') {
      refused.push({
        line: item.line,
        phone_number: maskPhoneNumber(item.phone_number),
        reason: faultOfNumber(parsed),
      });
      continue;
    }
    const before = suppressions.get(parsed.e164);
    if (before !== undefined) repeated += 1;
    if (before !== undefined && endOf(before.expiresAt) >= endOf(item.expires_at)) continue;
    suppressions.set(parsed.e164, {
      phoneNumber: parsed.e164,
      reason: item.reason ?? null,
      note: item.note ?? null,
      expiresAt: item.expires_at ?? null,
    });
  }
  return { suppressions, repeated, refused };
}

const endOf = (expiresAt: Date | null | undefined) => expiresAt?.getTime() ?? Infinity;
