/** What a request may hold of rows that it has fetched and not yet sent, where each is as large as a row of its list can be. */
const FETCHED_BYTES_AT_MOST = 16 * 1024 * 1024;

/** How many rows of a list are fetched at once, by the bytes that one of them can have. */
export function rowsAtOnce(rowBytesAtMost: number): number {
  return Math.max(1, Math.floor(FETCHED_BYTES_AT_MOST / rowBytesAtMost));
}
