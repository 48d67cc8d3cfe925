import { CsvRow } from './csv-row.ts';
import { requireFewMalformed, TableError } from './table-error.ts';
import { visibleText } from './visible-text.ts';
import { rowCharactersAtMost, sevenDigits, type TableFault, type TableRow } from './table.ts';

const delimiters = [',', ';', '\t'];

/** More lines than a note in one cell has. */
const linesOfRowAtMost = 100;

/** `head` is the beginning of `chunks`, which shows the encoding and the delimiter. */
export async function* readCsv(
  head: Uint8Array,
  chunks: AsyncIterable<Uint8Array>,
  report: (fault: TableFault) => void,
): AsyncGenerator<TableRow> {
  const encoding = encodingOf(head);
  const rows = new CsvRows(delimiterOf(new TextDecoder(encoding).decode(head)), report);
  for await (const lines of linesOf(textOf(chunks, encoding))) {
    for (const line of lines) yield* rows.read(line);
  }
  yield* rows.end();
}

/**
 * Puts lines together to rows. Every line that is not blank becomes part of a row or of a fault. If quotation marks do not match, only the
 * line on which they open is a fault, and the next line begins a row again.
 */
class CsvRows {
  readonly #delimiter: string;
  readonly #report: (fault: TableFault) => void;
  #columns: number | undefined;
  #row: CsvRow;
  /** The lines of the row that is being read. */
  #lines: Line[] = [];
  /** Lines up to this one may belong to a cell whose quotation marks do not match. */
  #doubtfulUntil = 0;
  #refused = 0;

  constructor(delimiter: string, report: (fault: TableFault) => void) {
    this.#delimiter = delimiter;
    this.#report = report;
    this.#row = new CsvRow(delimiter);
  }

  *read(line: Line): Generator<TableRow> {
    if (line.number === 1 && separatorLine.test(line.text)) return;
    this.#lines.push(line);
    const end = this.#row.read(line.text);
    if (line.isCut && this.#lines.length === 1) yield* this.#breakOff(lengthFault);
    else if (end === 'complete' && !line.isCut) yield* this.#take();
    else if (end !== 'open' || line.isCut || this.#isTooLong()) yield* this.#breakOff(quoteFault);
  }

  *end(): Generator<TableRow> {
    while (this.#lines.length > 0) yield* this.#breakOff(quoteFault);
  }

  #isTooLong(): boolean {
    const characters = this.#lines.reduce((sum, { text }) => sum + text.length, 0);
    return this.#lines.length > linesOfRowAtMost || characters > rowCharactersAtMost;
  }

  *#take(): Generator<TableRow> {
    const { cells } = this.#row;
    const lines = this.#startOver();
    const [first, last] = [lines[0]?.number ?? 0, lines.at(-1)?.number ?? 0];
    if (cells.every((cell) => visibleText(cell) === '')) return;
    if (lines.slice(1).some(({ text }) => this.#mayBeARow(text, cells.length))) {
      const message = `stands within quotation marks that open on line ${first} and close on line ${last}, around what may be rows of their own`;
      for (const line of lines) this.#refuse(line, message);
      return;
    }
    this.#columns ??= cells.length;
    yield { line: last, firstLine: first, cells, isDoubtful: first <= this.#doubtfulUntil };
  }

  /** Reports the first line of the row, and reads the others again. */
  *#breakOff(message: string): Generator<TableRow> {
    const [first, ...others] = this.#startOver();
    if (first === undefined) return;
    this.#refuse(first, message);
    this.#doubtfulUntil = Math.max(this.#doubtfulUntil, others.at(-1)?.number ?? 0);
    for (const line of others) yield* this.read(line);
  }

  #refuse({ number }: Line, message: string): void {
    if (this.#columns === undefined) {
      throw new TableError(`line ${number}, with the names of the columns, ${message}`);
    }
    // Where all quotation marks are shifted no row is ever complete, and each line would be read a hundred times.
    requireFewMalformed(++this.#refused);
    this.#report({ line: number, message });
  }

  #startOver(): Line[] {
    const lines = this.#lines;
    this.#lines = [];
    this.#row = new CsvRow(this.#delimiter);
    return lines;
  }

  /**
   * Whether a line inside a cell looks like a row. Where somebody forgot a quotation mark and another one follows later, the people between
   * would disappear in a note. A note with a phone number is no row if the cells around it make one.
   */
  #mayBeARow(line: string, cells: number): boolean {
    const parts = line.split(this.#delimiter);
    if (!parts.some(isPhoneNumber)) return false;
    return parts.length >= (this.#columns ?? 0) || cells !== this.#columns;
  }
}

const lengthFault = `is longer than ${rowCharactersAtMost} characters`;

const quoteFault =
  'has a cell that begins with a quotation mark and does not end with one: write quotation marks within a cell twice, or leave out the first';

/** With spaces and quotation marks. */
const phoneCharactersAtMost = 100;
/** Letters, times and amounts of money. */
const noPhoneNumber = /[\p{L}:%\p{Sc}]/u;
const rounded = /^"?\+?\d[.,]\d+e\+?\d+"?$/i;

/** Whether it may be one, in any notation that imports read or name as a fault. */
function isPhoneNumber(cell: string): boolean {
  const text = cell.trim();
  if (text.length > phoneCharactersAtMost) return false;
  return rounded.test(text) || (sevenDigits.test(text) && !noPhoneNumber.test(text));
}

/** `sep=;`, which tells Excel the delimiter. */
const separatorLine = /^\p{Cf}*"?sep=([^\p{L}\p{N}\p{Z}"])"?[,;\t]*$/iu;

/**
 * Spreadsheets write semicolons if the comma is the decimal sign. The delimiter is the one that the first line names, or else the most frequent
 * one in it outside of quotation marks.
 */
function delimiterOf(head: string): string {
  const [firstLine = ''] = head.trimStart().split(/\r\n|\r|\n/, 1);
  const [, named] = separatorLine.exec(firstLine) ?? [];
  if (named !== undefined) return named;
  const bare = firstLine.replaceAll(/"[^"]*"/g, '');
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Excel's "Unicode text" is UTF-16 with a byte order mark. */
function encodingOf(head: Uint8Array): string {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

/** Only valid text: text in an older encoding would become wrong names. */
async function* textOf(chunks: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (chunk: Uint8Array | undefined) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw new TableError('the file is not in UTF-8: save it as "CSV UTF-8", or as XLSX', { cause: error });
    }
  };
  for await (const chunk of chunks) yield decode(chunk);
  yield decode(undefined);
}

/** A physical line of a text, without its line end. */
export interface Line {
  /** From 1. */
  number: number;
  text: string;
  /** The line is longer than the limit; `text` is its beginning. */
  isCut: boolean;
}

const lineEnd = /\r\n|\r|\n/g;

/** Splits a text into its physical lines, which end with CRLF, LF or CR. Gives those of each piece together. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<Line[]> {
  let rest = '';
  let number = 0;
  /** The line that `rest` continues was given already, up to the limit. */
  let isSkipping = false;
  const split = (text: string, isLast: boolean): Line[] => {
    const lines: Line[] = [];
    let start = 0;
    const add = (end: number) => {
      if (isSkipping) isSkipping = false;
      else lines.push(lineOf(++number, text.slice(start, end)));
    };
    for (const { 0: end, index } of text.matchAll(lineEnd)) {
      // A CR at the end of a piece may be half of a CRLF.
      if (end === '\r' && index === text.length - 1 && !isLast) break;
      add(index);
      start = index + end.length;
    }
    rest = text.slice(start);
    if (isSkipping) rest = rest.endsWith('\r') ? '\r' : '';
    else if (isLast && rest !== '') add(text.length);
    else if (rest.length > rowCharactersAtMost) {
      lines.push(lineOf(++number, rest));
      isSkipping = true;
      rest = rest.endsWith('\r') ? '\r' : '';
    }
    return lines;
  };
  for await (const piece of pieces) yield split(rest + piece, false);
  yield split(rest, true);
}

function lineOf(number: number, text: string): Line {
  const isCut = text.length > rowCharactersAtMost;
  return { number, text: isCut ? text.slice(0, rowCharactersAtMost) : text, isCut };
}
