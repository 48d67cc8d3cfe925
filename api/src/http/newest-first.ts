import type { NewestFirst } from '@outdial/db';

/** What a list reads for a query of `limit` and `cursor`: one row more than was asked for, which says whether the list goes on. */
export function newestFirst(query: {
  limit: number;
  cursor?: readonly [at: string, id: string] | undefined;
}): NewestFirst {
  const { limit, cursor } = query;
  return { limit: limit + 1, after: cursor === undefined ? null : { at: cursor[0], id: cursor[1] } };
}
