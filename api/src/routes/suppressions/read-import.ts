import { type ImportedSuppression, instant, suppressionsAtMost, type Warning } from '@outdial/contracts';
import { faultOfNumber, maskPhoneNumber, type Numbering, parsePhoneNumber } from '@outdial/core';
import type { NewSuppression } from '@outdial/db';
import { numberOf, readTable } from '../../http/table-upload.ts';

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
): Promise<{ items: Row[]; refused: RefusedRow[]; warnings: Warning[] }> {
  const { items: read, faults, warnings } = await readTable(bytes, suppressionsAtMost, rowOf);
  return {
    warnings,
    items: read.flatMap((row) => ('refused' in row ? [] : [row])),
    refused: [
      ...faults.map(({ line, reason }) => ({ line, phone_number: '•••', reason })),
      ...read.flatMap((row) => ('refused' in row ? [row.refused] : [])),
    ],
  };
}

function rowOf(cells: ReadonlyMap<string, string>, line: number): Row | { refused: RefusedRow } {
  const cell = (name: string) => [...cells].find(([column]) => column.toLowerCase() === name)?.[1];
  const number = numberOf(cells);
  const end = cell('expires_at') ?? '';
  const expiresAt = end === '' ? null : instant.safeParse(end);
  if (expiresAt !== null && !expiresAt.success) {
    const reason = 'expires_at should be an ISO 8601 date-time with an offset, such as 2026-03-01T09:00:00Z';
    return { refused: { line, phone_number: maskPhoneNumber(number), reason } };
  }
  return {
    line,
    phone_number: number.slice(0, 100),
    reason: cell('reason')?.slice(0, 500) || null,
    note: cell('note')?.slice(0, 2_000) || null,
    expires_at: expiresAt?.data ?? null,
  };
}

/** Each number once, from its first row. */
export function judgeRows(
  items: readonly Row[],
  numbering: Numbering,
): { suppressions: Map<string, NewSuppression>; refused: RefusedRow[] } {
  const suppressions = new Map<string, NewSuppression>();
  const refused: RefusedRow[] = [];
  for (const item of items) {
    const parsed = parsePhoneNumber(item.phone_number, numbering);
    if (parsed.kind === 'invalid') {
      refused.push({
        line: item.line,
        phone_number: maskPhoneNumber(item.phone_number),
        reason: faultOfNumber(parsed),
      });
    } else if (!suppressions.has(parsed.e164)) {
      suppressions.set(parsed.e164, {
        phoneNumber: parsed.e164,
        reason: item.reason ?? null,
        note: item.note ?? null,
        expiresAt: item.expires_at ?? null,
      });
    }
  }
  return { suppressions, refused };
}
