import { type ImportedSuppression, type ListNotes, suppressionsAtMost } from '@outdial/contracts';
import { faultOfNumber, maskPhoneNumber, type Numbering, parsePhoneNumber, withPauses } from '@outdial/core';
import type { NewSuppression } from '@outdial/db';
import { keepLongest, suppressionFields, suppressionOfFields } from '@outdial/engine';
import { readTable } from '../../http/table-upload.ts';

/** A refused row, with its number masked. */
export interface RefusedRow {
  line: number;
  phone_number: string;
  reason: string;
}

type Row = NewSuppression & { line: number };

/** The rows of a CSV or XLSX file, their numbers as they are written. @throws ValidationError */
export async function readFile(
  bytes: Buffer,
  args: { mapping: string | null | undefined; numbering: Numbering },
): Promise<{ items: Row[]; refused: RefusedRow[]; notes: ListNotes }> {
  const table = { ...args, fields: suppressionFields, rowsAtMost: suppressionsAtMost };
  const { items: read, faults, notes } = await readTable(bytes, table, rowOf);
  return {
    notes,
    items: read.flatMap((row) => ('refused' in row ? [] : [row])),
    refused: [
      ...faults.map(({ line, reason }) => ({ line, phone_number: '•••', reason })),
      ...read.flatMap((row) => ('refused' in row ? [row.refused] : [])),
    ],
  };
}

function rowOf(fields: ReadonlyMap<string, string>, line: number): Row | { refused: RefusedRow } {
  const number = fields.get('phone_number') ?? '';
  const details = suppressionOfFields(fields);
  if ('fault' in details) {
    return { refused: { line, phone_number: maskPhoneNumber(number), reason: details.fault } };
  }
  return { line, phoneNumber: number.slice(0, 100), ...details };
}

export function rowOfItem(item: ImportedSuppression, index: number): Row {
  return {
    line: index + 1,
    phoneNumber: item.phone_number,
    reason: item.reason ?? null,
    note: item.note ?? null,
    expiresAt: item.expires_at ?? null,
  };
}

/** Each number once. Of rows that repeat it, the one counts that protects the person the longest. */
export async function judgeRows(
  items: readonly Row[],
  numbering: Numbering,
): Promise<{ suppressions: Map<string, NewSuppression>; repeats: number[]; refused: RefusedRow[] }> {
  const suppressions = new Map<string, NewSuppression>();
  const refused: RefusedRow[] = [];
  const repeats: number[] = [];
  for await (const { line, phoneNumber, ...details } of withPauses(items)) {
    const parsed = parsePhoneNumber(phoneNumber, numbering);
    if (parsed.kind === 'invalid') {
      refused.push({ line, phone_number: maskPhoneNumber(phoneNumber), reason: faultOfNumber(parsed) });
    } else if (keepLongest(suppressions, { phoneNumber: parsed.e164, ...details })) {
      repeats.push(line);
    }
  }
  return { suppressions, repeats, refused };
}
