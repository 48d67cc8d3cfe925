export { readRows, type NamedRow, type TableHeader } from './read-rows.ts';
export type { TableFault } from './table.ts';
export { TableError } from './table-error.ts';
