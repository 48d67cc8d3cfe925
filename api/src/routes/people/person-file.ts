import { got } from '@outdial/contracts';
import {
  type PersonKey,
  byInstant,
  findRecipientsOfPerson,
  readPages,
  type Db,
  type NewestFirst,
} from '@outdial/db';
import { rowsAtOnce } from '../../http/rows-at-once.ts';
import { recipientRowBytesAtMost } from '../campaigns/recipient-view.ts';

/** Of each list. */
export const rowsAtMost = 1_000;

/** Everything about a person as one answer, in pieces: the head, each list up to its limit, and whether that was all. */
export async function* personFile(
  head: object,
  lists: Readonly<Record<string, AsyncIterable<object>>>,
): AsyncGenerator<string, void> {
  yield JSON.stringify(got(head)).slice(0, -2);
  let complete = true;
  for (const [name, rows] of Object.entries(lists)) {
    yield `,${JSON.stringify(name)}:[`;
    let count = 0;
    for await (const row of rows) {
      if (count === rowsAtMost) {
        complete = false;
        break;
      }
      yield `${count === 0 ? '' : ','}${JSON.stringify(row)}`;
      count += 1;
    }
    yield ']';
  }
  yield `,"complete":${complete}}}`;
}

/** Reads a list in parts, newest first. */
export async function* inPages<Row extends { row_instant: string; id: string }>(
  bytesAtMost: number,
  read: (page: NewestFirst) => Promise<Row[]>,
): AsyncGenerator<Row> {
  const pages = readPages({ rowsAtOnce: rowsAtOnce(bytesAtMost), read, position: byInstant });
  for await (const rows of pages) yield* rows;
}

export async function* each<Row, View extends object>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  view: (row: Row) => View | Promise<View>,
): AsyncGenerator<View> {
  for await (const row of rows) yield await view(row);
}

export async function* recipientsOf(db: Db, person: PersonKey) {
  const pages = readPages({
    rowsAtOnce: rowsAtOnce(recipientRowBytesAtMost),
    read: (page: NewestFirst) => findRecipientsOfPerson(db, { ...person, page }),
    position: (row) => row.position,
  });
  for await (const rows of pages) {
    for (const { recipient } of rows) yield recipient;
  }
}
