import { byInstant, type NewestFirst } from '@outdial/db';
import { rowsAtOnce } from './rows-at-once.ts';

export interface Slice {
  offset: number;
  /** Null for all. */
  limit: number | null;
}

/**
 * The rows of a list by `page` and `size`, as text separated by commas. Reads each chunk when the previous one has been sent. All but the
 * first continue after the last row, so that rows added meanwhile shift nothing.
 */
export async function* rowsInChunks<Row extends { row_instant: string; id: string }>(
  list: Slice & { rowBytesAtMost: number; read: (page: NewestFirst, offset: number) => Promise<Row[]> },
  view: (row: NoInfer<Row>) => object,
): AsyncGenerator<string, void> {
  const atOnce = rowsAtOnce(list.rowBytesAtMost);
  let left = list.limit ?? Number.POSITIVE_INFINITY;
  let after: NewestFirst['after'] = null;
  while (left > 0) {
    const limit = Math.min(left, atOnce);
    const rows: Row[] = await list.read({ limit, after }, after === null ? list.offset : 0);
    for (const [at, row] of rows.entries()) {
      yield `${after === null && at === 0 ? '' : ','}${JSON.stringify(view(row))}`;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    left -= rows.length;
    after = byInstant(last);
  }
}
