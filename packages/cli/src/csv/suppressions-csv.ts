import { type Numbering, phoneColumns } from '@outdial/core';
import type { Readable } from 'node:stream';
import type { NewSuppression } from '@outdial/db';
import type { FileFault } from '../cli-error.ts';
import { noPhoneColumn, PhoneReader } from './phone-column.ts';
import { columnNamed, CsvHeaderError, readRows } from './read-rows.ts';

/** Reads numbers to suppress: a column `phone`, and optionally `reason`. In chunks, because lists are long. */
export async function* readSuppressionsCsv(
  source: Readable,
  args: { numbering: Numbering; report: (fault: FileFault) => void; chunkLength: number },
): AsyncGenerator<NewSuppression[]> {
  const phones = new PhoneReader(args.numbering);
  let chunk: NewSuppression[] = [];
  for await (const { line, cells } of readRows(source, args.report)) {
    const phoneColumn = columnNamed(cells, phoneColumns);
    if (phoneColumn === undefined) throw new CsvHeaderError(noPhoneColumn([...cells.keys()], args.numbering));
    const phone = phones.read(cells.get(phoneColumn) ?? '', line);
    if (phone.kind === 'fault') {
      args.report({ line, message: phone.message });
      continue;
    }
    const reasonColumn = columnNamed(cells, ['reason']);
    const reason = reasonColumn === undefined ? '' : (cells.get(reasonColumn) ?? '');
    chunk.push({ phoneNumber: phone.e164, reason: reason === '' ? null : reason });
    if (chunk.length < args.chunkLength) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
