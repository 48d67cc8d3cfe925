import { Readable, Transform } from 'node:stream';
import { parse, type CsvError, type Info } from 'csv-parse';
import { columnsAtMost } from './sheet-rows.ts';
import type { TableFault, TableRow } from './table.ts';
import { TableError } from './table-error.ts';

const delimiters = [',', ';', '\t'];

/** A cell is a name or a note. The limit keeps a quotation mark that is never closed from swallowing the file. */
const recordBytesAtMost = 256 * 1024;

/** `head` is the beginning of `chunks`, which shows the delimiter. */
export async function* readCsv(
  head: Buffer,
  chunks: AsyncIterable<Buffer>,
  report: (fault: TableFault) => void,
): AsyncGenerator<TableRow> {
  const parser = parse({
    bom: true,
    info: true,
    trim: true,
    delimiter: delimiterOf(head.toString('utf8')),
    max_record_size: recordBytesAtMost,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    cast: withinColumns,
    on_skip: (error) => {
      if (error !== undefined) report({ line: lineOf(error), message: quoteFault });
      return undefined;
    },
  });
  const source = Readable.from(chunks);
  const text = onlyUtf8();
  source.on('error', (error) => parser.destroy(error));
  text.on('error', (error) => parser.destroy(error));
  source.pipe(text).pipe(parser);
  for await (const item of parser) {
    // With `info` and without `columns`, the parser returns the cells and their location.
    const { record, info } = item as { record: string[]; info: Info };
    if (record.some((cell) => cell !== '')) yield { line: info.lines, cells: record };
  }
}

/** The parser does not count commas as bytes of a record, so a line of commas would become millions of cells before the check. */
function withinColumns(cell: string, { index }: { index: number }): string {
  // One more than allowed, so that the reader of the first line can report it.
  if (index > columnsAtMost) throw new TableError(`a line has more than ${columnsAtMost} columns`);
  return cell;
}

/** Spreadsheets write semicolons if the comma is the decimal sign. The delimiter is the most frequent one in the first line outside of quotes. */
function delimiterOf(head: string): string {
  const [firstLine = ''] = head
    .replace(/^\uFEFF/, '')
    .trimStart()
    .split(/\r?\n/, 1);
  const bare = firstLine.replaceAll(/"[^"]*"/g, '');
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Passes on valid UTF-8 only. Text in an older encoding would become wrong names. */
function onlyUtf8(): Transform {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const check = (chunk: Buffer | undefined, done: (error: Error | null, chunk?: Buffer) => void) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      done(new TableError('the file is not in UTF-8: save it as "CSV UTF-8", or as XLSX'));
      return;
    }
    done(null, chunk);
  };
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => check(chunk, done),
    flush: (done) => check(undefined, done),
  });
}

const quoteFault = 'has a quotation mark that is not closed, or stands inside a cell that has none around it';

function lineOf(error: CsvError): number {
  return typeof error['lines'] === 'number' ? error['lines'] : 0;
}
