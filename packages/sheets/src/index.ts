export * from './read-rows.ts';
export * from './table-error.ts';
export * from './table.ts';
export { isZip } from './read-table.ts';
