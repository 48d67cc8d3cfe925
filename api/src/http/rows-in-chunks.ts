import { byInstant, type NewestFirst } from '@outdial/db';
import { rowsAtOnce } from './rows-at-once.ts';

interface InstantRow {
  row_instant: string;
  id: string;
}

/** Which rows of a list a caller asked for, by `page` and `size`. */
export interface Slice {
  offset: number;
  /** Null takes all. */
  limit: number | null;
}

/**
 * The rows of a list that is read by `page` and `size`, as text with commas between them. They are read in chunks, each when the one before has been taken; all
 * but the first go on behind the last row, so that rows which are added meanwhile move nothing.
 */
export async function* rowsInChunks<Row extends InstantRow>(
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
