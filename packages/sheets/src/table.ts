/** A row of a table, as trimmed cell texts. */
export interface TableRow {
  /** The line in the file, from 1. For a row with line breaks, its last line. */
  line: number;
  cells: string[];
}

export interface TableFault {
  line: number;
  message: string;
}
