import type { Archive } from './archive.ts';
import { columnOf } from './cell-reference.ts';
import { columnsAtMost } from './table.ts';
import { TableError } from './table-error.ts';
import { isTrue } from './workbook-parts.ts';

/** Cells that the sheet shows as one, of several rows, with columns from 0. */
interface MergedCells {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** What a sheet says about its cells before and after all rows. */
export class SheetLayout {
  readonly hiddenColumns = new Set<number>();
  readonly #merged: MergedCells[] = [];
  /** Those that reach the current row, by column. */
  readonly #reaching = new Map<number, MergedCells>();
  #next = 0;
  /** Of the first row with text, which names the columns. */
  #width = 0;

  /** @throws TableError */
  static async read(archive: Pick<Archive, 'textOf'>, part: string): Promise<SheetLayout> {
    const layout = new SheetLayout();
    let rest = '';
    for await (const chunk of archive.textOf(part)) {
      const text = rest + chunk;
      for (const [, name, attributes = ''] of text.matchAll(tags)) {
        const of = Object.fromEntries(
          [...attributes.matchAll(attribute)].map(([, key = '', value = '']) => [key, value]),
        );
        if (name === 'col') layout.#addColumns(of);
        else layout.#addMerged(of['ref'] ?? '');
      }
      const cut = text.lastIndexOf('<');
      rest = cut > text.lastIndexOf('>') ? text.slice(cut, cut + tagLengthAtMost) : '';
    }
    layout.#merged.sort((one, other) => one.top - other.top);
    return layout;
  }

  /** The lines that have the values of this row's merged cells, by column. For every row with text, in their order. */
  linesOfMerged(line: number, cells: readonly string[]): Map<number, number> {
    if (this.#width === 0 && cells.some((cell) => cell !== '' && !cell.startsWith('#'))) {
      this.#width = cells.length;
    }
    for (
      let of = this.#merged[this.#next];
      of !== undefined && of.top <= line;
      of = this.#merged[this.#next]
    ) {
      this.#next += 1;
      const { top, left, right } = of;
      if (top < line || (cells[left] ?? '') === '') continue;
      // Columns further right have no name.
      const end = Math.min(right, this.#width - 1);
      for (let column = left; column <= end; column++) this.#reaching.set(column, of);
    }
    const lines = new Map<number, number>();
    for (const [column, { top, bottom }] of this.#reaching) {
      if (bottom < line) this.#reaching.delete(column);
      else if (top < line) lines.set(column, top);
    }
    return lines;
  }

  #addColumns({ min = '', max, hidden, width }: Record<string, string>): void {
    if (!isTrue(hidden) && Number(width ?? 1) !== 0) return;
    if (!/^[1-9]\d{0,4}$/.test(min) || this.hiddenColumns.has(Number(min) - 1)) return;
    const end = Math.min(Number(max), columnsAtMost);
    for (let column = Number(min); column <= end; column++) this.hiddenColumns.add(column - 1);
  }

  #addMerged(ref: string): void {
    const [, from, top, to, bottom] = /^([A-Z]{1,3})(\d{1,9}):([A-Z]{1,3})(\d{1,9})$/.exec(ref) ?? [];
    if (from === undefined || Number(top) === Number(bottom)) return;
    if (this.#merged.length >= mergedAtMost) throw new TableError('the sheet has too many merged cells');
    const right = Math.min(columnOf(to) ?? 0, columnsAtMost - 1);
    this.#merged.push({ top: Number(top), bottom: Number(bottom), left: columnOf(from) ?? 0, right });
  }
}

const mergedAtMost = 100_000;
const tagLengthAtMost = 1_000;
/** Without a parser, because the rows between them may have hundreds of megabytes and are parsed later. */
const tags = /<(?:\w+:)?(col|mergeCell)\s([^<>]*)>/g;
const attribute = /(?<!\w)(\w{1,32})\s{0,8}=\s{0,8}["']([^"']*)["']/g;
