import { columnsAtMost } from './table.ts';
import { TableError } from './table-error.ts';

/** Blanks around a cell in quotation marks, with format characters such as a byte order mark. */
const blanks = /[\p{Zs}\p{Cf}\t]*/uy;
const blanksBetweenTabs = /[\p{Zs}\p{Cf}]*/uy;

/**
 * Reads one row of a CSV (RFC 4180), line by line. A cell is in quotation marks only if it begins with one, and ends at the next one that stands
 * before a delimiter or the end of the line. A quotation mark inside another cell is an ordinary character.
 */
export class CsvRow {
  readonly cells: string[] = [];
  readonly #delimiter: string;
  #quoted: string | null = null;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /**
   * @returns `complete` at the end of the row, `open` if the next line continues a cell in quotation marks, `broken` if such a cell has a
   * quotation mark in its middle
   * @throws TableError if the row has too many columns
   */
  read(line: string): 'complete' | 'open' | 'broken' {
    let at = 0;
    if (this.#quoted !== null) this.#quoted += '\n';
    while (true) {
      if (this.#quoted === null) {
        const start = this.#afterBlanks(line, at);
        if (line[start] === '"') {
          this.#quoted = '';
          at = start + 1;
          continue;
        }
        const end = line.indexOf(this.#delimiter, at);
        this.#add(line.slice(at, end === -1 ? undefined : end));
        if (end === -1) return 'complete';
        at = end + 1;
        continue;
      }
      const mark = line.indexOf('"', at);
      if (mark === -1) {
        this.#quoted += line.slice(at);
        return 'open';
      }
      this.#quoted += line.slice(at, mark);
      if (line[mark + 1] === '"') {
        this.#quoted += '"';
        at = mark + 2;
        continue;
      }
      const end = this.#afterBlanks(line, mark + 1);
      if (end < line.length && line[end] !== this.#delimiter) return 'broken';
      this.#add(this.#quoted);
      this.#quoted = null;
      if (end === line.length) return 'complete';
      at = end + 1;
    }
  }

  #add(cell: string): void {
    if (this.cells.length === columnsAtMost) {
      throw new TableError(`a line has more than ${columnsAtMost} columns`);
    }
    this.cells.push(cell);
  }

  #afterBlanks(line: string, at: number): number {
    const pattern = this.#delimiter === '\t' ? blanksBetweenTabs : blanks;
    pattern.lastIndex = at;
    return at + (pattern.exec(line)?.[0].length ?? 0);
  }
}
