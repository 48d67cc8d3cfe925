/** A file that is not a table. The message is for the user who sent it. */
export class TableError extends Error {
  override name = 'TableError';
  readonly code = 'not_a_table';
}
