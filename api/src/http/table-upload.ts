import { createHash } from 'node:crypto';
import type { Warning } from '@outdial/contracts';
import { isPhoneColumn, phoneColumns } from '@outdial/core';
import { readRows, TableError } from '@outdial/sheets';
import type { Request } from 'express';
import { fieldFault, missingField } from './errors.ts';
import { inPieces } from './in-pieces.ts';

/** The parts of an OpenAPI operation that takes a spreadsheet in a form, or the same data as JSON. */
export const tableUpload = {
  field: 'file',
  description:
    'A CSV file in UTF-8, separated by commas, semicolons or tabs, or an XLSX file, of which the first visible sheet is read.',
  inMemory: true,
  orJson: true,
} as const;

export function isForm(req: Pick<Request, 'headers'>): boolean {
  return /^\s*multipart\//i.test(req.headers['content-type'] ?? '');
}

/** Whether the request has a file. @throws ValidationError if it has neither a file nor the JSON field */
export function bringsFile(
  { req, body }: { req: Pick<Request, 'headers'>; body: Readonly<Record<string, unknown>> },
  field: string,
): boolean {
  if (isForm(req)) return true;
  if (body[field] !== undefined) return false;
  throw missingField(field);
}

/** The request with a digest of its bytes, so that two files under one `Idempotency-Key` differ. */
export function withDigest<Asked extends { body: object; bytes: Buffer }>(request: Asked) {
  const file = createHash('sha256').update(request.bytes).digest('hex');
  return { ...request, body: { ...request.body, file } };
}

/**
 * Reads the rows of a CSV or XLSX file, those that a spreadsheet hides too: the people of most lists are protected by them.
 * @param rowsAtMost malformed rows included
 * @throws ValidationError that names the file
 */
export async function readTable<Item>(
  bytes: Buffer,
  rowsAtMost: number,
  take: (cells: ReadonlyMap<string, string>, line: number) => Item,
): Promise<{ items: Item[]; faults: Array<{ line: number; reason: string }>; warnings: Warning[] }> {
  const items: Item[] = [];
  let hidden = 0;
  const faults: Array<{ line: number; reason: string }> = [];
  const report = ({ line, message }: { line: number; message: string }) =>
    void faults.push({ line, reason: message });
  try {
    for await (const { line, cells, isHidden } of readRows(inPieces(bytes), { report })) {
      if (items.length + faults.length >= rowsAtMost) {
        throw fieldFault('file', `The file has more than ${rowsAtMost} rows`);
      }
      if (isHidden === true) hidden += 1;
      items.push(take(cells, line));
    }
  } catch (error) {
    if (error instanceof TableError) throw fieldFault('file', error.message);
    throw error;
  }
  return { items, faults, warnings: hiddenRows(hidden, 'were read too') };
}

/** Warns of rows that the spreadsheet does not show. */
export function hiddenRows(count: number, what: string): Warning[] {
  if (count === 0) return [];
  const msg = `The sheet hides ${count} rows, perhaps by a filter. They ${what}`;
  return [{ code: 'hidden_rows', loc: ['body', 'file'], msg }];
}

/** The cell with the phone number. @throws ValidationError without a column for it */
export function numberOf(cells: ReadonlyMap<string, string>): string {
  const found = [...cells].find(([name]) => isPhoneColumn(name));
  if (found === undefined) {
    throw fieldFault('file', `The first line has no column named ${phoneColumns.join(', ')}`);
  }
  return found[1];
}

export function inOrder<Line extends { line: number }>(lines: readonly Line[]): Line[] {
  return lines.toSorted((one, other) => one.line - other.line);
}
