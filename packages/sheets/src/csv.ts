/** The reader of CSV alone, for the browser. */
export { readCsv } from './read-csv.ts';
export { TableError } from './table-error.ts';
export { visibleText } from './visible-text.ts';
