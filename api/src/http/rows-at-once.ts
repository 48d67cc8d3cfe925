/** The most bytes of fetched but unsent rows per request, assuming the largest rows. */
const fetchedBytesAtMost = 16 * 1024 * 1024;

/** How many rows of a list to fetch at once, from the largest size of a row in bytes. */
export function rowsAtOnce(rowBytesAtMost: number): number {
  return Math.max(1, Math.floor(fetchedBytesAtMost / rowBytesAtMost));
}
