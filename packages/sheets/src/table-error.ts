/** A file that is not a table. The message is for the user who sent it. */
export class TableError extends Error {
  override name = 'TableError';
  readonly code = 'not_a_table';
}

/** A file with more malformed rows than this is not a table; callers keep each reported row in memory. */
export const malformedAtMost = 10_000;

/** @throws TableError */
export function requireFewMalformed(malformed: number): void {
  if (malformed > malformedAtMost) throw new TableError(`more than ${malformedAtMost} rows are malformed`);
}

export const tooMuchText = () => new TableError('the workbook holds too much text: save the sheet as CSV');
