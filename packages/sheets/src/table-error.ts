/** A file that is no table. The message is for the person who sent it. */
export class TableError extends Error {
  override name = 'TableError';
  readonly code = 'not_a_table';
}
