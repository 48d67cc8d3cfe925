export { readRows, TableHeaderError, type NamedRow } from './read-rows.ts';
export type { TableFault } from './table.ts';
export { TableError } from './table-error.ts';
