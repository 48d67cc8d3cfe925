import { ok } from './outdial-error.ts';

interface ListAnswer<Item> {
  data?: { data?: { items: Item[]; next_cursor: string | null } | null };
  error?: unknown;
  response: Response;
}

/**
 * Every item of a list, page by page:
 *
 *     for await (const call of allItems((cursor) => client.GET('/api/v1/calls', { params: { query: { cursor } } }))) …
 *
 * @param read requests the page after `cursor`; undefined for the first
 * @throws OutdialError if a request is refused
 */
export async function* allItems<Item>(
  read: (cursor: string | undefined) => Promise<ListAnswer<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const { data } = await ok(read(cursor));
    if (data === undefined || data === null) return;
    yield* data.items;
    cursor = data.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
