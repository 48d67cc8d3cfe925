import { createHash } from 'node:crypto';
import { ListNotes } from '@outdial/contracts';
import {
  type ColumnMapping,
  fieldsOfRow,
  type ListFields,
  listFieldsOf,
  type Numbering,
  phoneColumnOf,
} from '@outdial/core';
import { TableError, type TableHeader } from '@outdial/sheets';
import type { Request } from 'express';
import { z } from 'zod';
import { fieldFault, missingField } from './errors.ts';
import { parseFieldJson } from './json-body.ts';
import { rowsOfFile } from './rows-of-file.ts';

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
  if (body['mapping'] != null) {
    throw fieldFault('mapping', 'Field not expected: it maps the columns of a file');
  }
  if (body[field] !== undefined) return false;
  throw missingField(field);
}

const columnMapping = z.record(z.string(), z.string().max(255).nullable());

/** @throws ValidationError */
export function parseMapping(text: string | null | undefined): ColumnMapping {
  if (text == null || text.trim() === '') return {};
  const read = columnMapping.safeParse(parseFieldJson(text, ['body', 'mapping']));
  if (read.success) return read.data;
  throw fieldFault(
    'mapping',
    'Input should be a JSON object such as {"Telefon": "phone_number", "Vorname": "name"}',
  );
}

/** The request with a digest of its bytes, so that two files under one `Idempotency-Key` differ. */
export function withDigest<Asked extends { body: object; bytes: Buffer }>(request: Asked) {
  const file = createHash('sha256').update(request.bytes).digest('hex');
  return { ...request, body: { ...request.body, file } };
}

/**
 * Reads the rows of a CSV or XLSX file, those that a spreadsheet hides too: the people of most lists are protected by them. `take` gets their fields, the phone number among them as `phone_number`.
 * @param args.fields the fields besides the phone number
 * @param args.rowsAtMost malformed rows included
 * @throws ValidationError that names the file, or the mapping of its columns
 */
export async function readTable<Item>(
  file: { bytes: Buffer; organizationId: string },
  args: {
    fields: readonly string[];
    rowsAtMost: number;
    mapping: string | null | undefined;
    numbering: Numbering;
  },
  take: (fields: ReadonlyMap<string, string>, line: number) => Item,
): Promise<{ items: Item[]; faults: Array<{ line: number; reason: string }>; notes: ListNotes }> {
  const mapping = parseMapping(args.mapping);
  const items: Item[] = [];
  const notes = new ListNotes();
  const faults: Array<{ line: number; reason: string }> = [];
  const report = ({ line, message }: { line: number; message: string }) =>
    void faults.push({ line, reason: message });
  let columns: ListFields | undefined;
  const header = (found: TableHeader) => {
    const phone = requirePhoneColumn(found, { mapping, numbering: args.numbering });
    const of = listFieldsOf(found.names, { phone, mapping, fields: args.fields });
    if ('fault' in of) throw fieldFault('mapping', asSentence(of.fault));
    columns = of;
    notes.unusedColumns = of.unused;
    return notes.readHeader(found, { mapping, read: new Set([phone, ...of.fields.keys()]) });
  };
  try {
    for await (const row of rowsOfFile(file, { report, header })) {
      if (items.length + faults.length >= args.rowsAtMost) {
        throw fieldFault('file', `The file has more than ${args.rowsAtMost} rows`);
      }
      if (columns === undefined) throw new Error('a row came before the first line');
      notes.see(row);
      items.push(take(fieldsOfRow(row.cells, columns), row.line));
    }
  } catch (error) {
    if (error instanceof TableError) throw fieldFault('file', error.message);
    throw error;
  }
  return { items, faults, notes };
}

/** To follow "They" in a warning of rows that a spreadsheet hides. */
export const hiddenWereRead = 'were read too';

/** @throws ValidationError without a column for phone numbers, or with several that may be it */
export function requirePhoneColumn(
  header: TableHeader,
  args: { mapping: ColumnMapping; numbering: Numbering },
): string {
  const found = phoneColumnOf(header, { ...args, door: 'api' });
  if ('name' in found) return found.name;
  throw fieldFault(found.setting, asSentence(found.fault));
}

function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function inOrder<Line extends { line: number }>(lines: readonly Line[]): Line[] {
  return lines.toSorted((one, other) => one.line - other.line);
}
