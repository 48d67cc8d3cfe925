/** Far more columns than any list of people has. */
export const columnsAtMost = 1_000;
/** A cell is a name or a note. */
export const cellCharactersAtMost = 32_768;
/** A row is some names and notes. The limit keeps a line without an end, and quotation marks without an end, out of memory. */
export const rowCharactersAtMost = 256 * 1024;

/** As many as a phone number has at least. */
export const sevenDigits = /(?:\p{Nd}\P{Nd}*){7}/u;

export interface TableRow {
  /** The line in the file, from 1. For a row with line breaks, its last line. */
  line: number;
  /** The line on which it begins, if that is another one. */
  firstLine?: number;
  cells: string[];
  /** What stands in place of cells whose texts are not known, by column, to follow "The row has …". */
  unknown?: ReadonlyMap<number, string>;
  /** A spreadsheet does not show it, because of a filter for example. */
  isHidden?: boolean;
  /** The line may continue a broken row before it, so it only counts if it has all columns. */
  isDoubtful?: boolean;
}

export interface TableFault {
  line: number;
  message: string;
}
