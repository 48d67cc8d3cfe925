import { type ImportedSuppression, instant, suppressionsAtMost } from '@outdial/contracts';
import { maskPhoneNumber, parsePhoneNumber } from '@outdial/core';
import type { NewSuppression } from '@outdial/db';
import { readRows, TableError } from '@outdial/sheets';
import { inPieces } from '../../http/in-pieces.ts';
import { ValidationError } from '../../http/errors.ts';

/** A row that was left out. Its number is masked. */
export interface RefusedRow {
  line: number;
  phone_number: string;
  reason: string;
}

type Row = ImportedSuppression & { line: number };

const phoneColumns = ['phone', 'phone_number', 'to', 'to_phone', 'number'];

/** The rows of a CSV or XLSX file. @throws ValidationError */
export async function readFile(bytes: Buffer): Promise<{ items: Row[]; refused: RefusedRow[] }> {
  const items: Row[] = [];
  const refused: RefusedRow[] = [];
  try {
    const report = (fault: { line: number; message: string }) =>
      void refused.push({ line: fault.line, phone_number: '•••', reason: fault.message });
    for await (const { line, cells } of readRows(inPieces(bytes), report)) {
      if (items.length + refused.length >= suppressionsAtMost) {
        throw fault(`The file has more than ${suppressionsAtMost} rows`);
      }
      const cell = (names: readonly string[]) => {
        const column = [...cells.keys()].find((name) => names.includes(name.toLowerCase()));
        return column === undefined ? undefined : cells.get(column);
      };
      const number = cell(phoneColumns);
      if (number === undefined) throw fault(`The first line names no column ${phoneColumns.join(', ')}`);
      const end = cell(['expires_at']) ?? '';
      const expiresAt = end === '' ? null : instant.safeParse(end);
      if (expiresAt !== null && !expiresAt.success) {
        refused.push({
          line,
          phone_number: maskPhoneNumber(number),
          reason: 'expires_at is no instant in ISO 8601',
        });
        continue;
      }
      items.push({
        line,
        phone_number: number.slice(0, 100),
        reason: cell(['reason'])?.slice(0, 500) || null,
        note: cell(['note'])?.slice(0, 2_000) || null,
        expires_at: expiresAt?.data ?? null,
      });
    }
  } catch (error) {
    if (error instanceof TableError) throw fault(error.message);
    throw error;
  }
  return { items, refused };
}

/** Each number once, at its first row. */
export function judgeRows(
  items: readonly Row[],
  country: string | undefined,
): { suppressions: Map<string, NewSuppression>; refused: RefusedRow[] } {
  const suppressions = new Map<string, NewSuppression>();
  const refused: RefusedRow[] = [];
  for (const item of items) {
    const parsed = parsePhoneNumber(item.phone_number, country);
    if (parsed.kind === 'invalid') {
      refused.push({
        line: item.line,
        phone_number: maskPhoneNumber(item.phone_number),
        reason: parsed.reason,
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

function fault(msg: string): ValidationError {
  return new ValidationError([{ loc: ['body', 'file'], msg, type: 'value_error' }]);
}
