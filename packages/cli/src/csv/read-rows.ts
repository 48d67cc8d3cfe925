import type { Readable } from 'node:stream';
import { parse, type CsvError, type Info } from 'csv-parse';
import { CliError, type FileFault } from '../cli-error.ts';

/** A row by the names of the first line, and the line on which it ends. */
export interface CsvRow {
  line: number;
  cells: ReadonlyMap<string, string>;
}

/** The file has no first line that names its columns. */
export class CsvHeaderError extends CliError {
  constructor(message: string) {
    super('csv_header', message);
    this.name = 'CsvHeaderError';
  }
}

/**
 * Reads CSV (RFC 4180, UTF-8) row by row. The first line names the columns. Rows that are malformed are told to `report` and
 * left out. Spaces around cells are not part of them; empty lines mean nothing.
 */
export async function* readRows(
  source: Readable,
  report: (fault: FileFault) => void,
): AsyncGenerator<CsvRow> {
  const parser = source
    .on('error', (error) => parser.destroy(error))
    .pipe(
      parse({
        bom: true,
        info: true,
        trim: true,
        relax_column_count: true,
        skip_empty_lines: true,
        skip_records_with_error: true,
        on_skip: (error) => {
          if (error !== undefined) report({ line: lineOf(error), message: quoteFault });
          return undefined;
        },
      }),
    );
  let names: string[] | undefined;
  for await (const item of parser) {
    // With `info` and without `columns` the parser gives the cells beside where they were.
    const { record, info } = item as { record: string[]; info: Info };
    if (names === undefined) {
      names = record;
      requireDistinct(names);
    } else if (record.length === names.length) {
      const named = names;
      yield { line: info.lines, cells: new Map(record.map((cell, index) => [named[index] ?? '', cell])) };
    } else if (record.some((cell) => cell !== '')) {
      report({ line: info.lines, message: `has ${record.length} columns instead of ${names.length}` });
    }
  }
  if (names === undefined) throw new CsvHeaderError('the file is empty: its first line names the columns');
}

const quoteFault = 'has a quotation mark that is not closed, or stands inside a cell that has none around it';

function lineOf(error: CsvError): number {
  return typeof error['lines'] === 'number' ? error['lines'] : 0;
}

function requireDistinct(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new CsvHeaderError(`the first line names the column ${twice || '(empty)'} twice`);
}

/** The column that has one of these names, in any case. */
export function columnNamed(
  cells: ReadonlyMap<string, string>,
  names: readonly string[],
): string | undefined {
  return [...cells.keys()].find((name) => names.includes(name.toLowerCase()));
}
