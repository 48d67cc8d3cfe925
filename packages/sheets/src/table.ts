/** A row of a table, its cells as text without the spaces around them. */
export interface TableRow {
  /** Of the file, from 1; of a cell with line breaks the last. */
  line: number;
  cells: string[];
}

export interface TableFault {
  line: number;
  message: string;
}
