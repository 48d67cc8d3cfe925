import { sql, type RawBuilder } from 'kysely';
import type { Executor } from '../transaction.ts';

/** Rows that are held in memory at a time. */
const chunkLength = 5_000;

/** The numbers of the campaigns of a page, of each in the order of its list. */
export type PageNumbers =
  | {
      kind: 'whole';
      /** Each the text of a JSON array, as an answer carries it. */
      lists: string[];
    }
  | {
      kind: 'long';
      /** In chunks. To be read in the order of the campaigns, each to its end. */
      lists: AsyncIterable<string[]>[];
      /** To be called when nobody reads any more: a cursor may be open, and nothing else can be asked of its connection. */
      close(): Promise<void>;
    };

interface PageKey {
  organizationId: string;
  campaignIds: readonly string[];
}

/**
 * What `campaignNumbers` gives of one campaign, for several with one statement: fifty small lists would cost fifty times a
 * statement's round trips. Most pages are small and come whole, as text, which nobody takes apart only to put it together again;
 * what is longer is read through a cursor, which takes three round trips more, no faster than its reader.
 */
export async function numbersOfPage(db: Executor, key: PageKey): Promise<PageNumbers> {
  const { campaignIds } = key;
  if (campaignIds.length === 0) return { kind: 'whole', lists: [] };
  const { rows } = await sql<ListRow>`
    select place, count(*)::integer as count, json_agg(phone_number order by position)::text as numbers
    from (${selectNumbers(key)} limit ${chunkLength}) numbers group by place`.execute(db);
  if (rows.reduce((sum, row) => sum + row.count, 0) < chunkLength) {
    const byPlace = new Map(rows.map((row) => [row.place, row.numbers]));
    return { kind: 'whole', lists: campaignIds.map((_, at) => byPlace.get(at + 1) ?? '[]') };
  }
  const chunks = chunksOf(db, key);
  return {
    kind: 'long',
    lists: readInOrder(chunks, campaignIds.length),
    close: async () => {
      await chunks.return();
    },
  };
}

interface ListRow {
  place: number;
  count: number;
  numbers: string;
}

interface NumberRow {
  /** Of its campaign in the page, from 1. */
  place: number;
  phone_number: string;
}

function readInOrder(
  chunks: AsyncGenerator<readonly NumberRow[], void>,
  count: number,
): AsyncIterable<string[]>[] {
  let chunk: readonly NumberRow[] = [];
  let next = 0;

  async function* listAt(place: number): AsyncGenerator<string[]> {
    for (;;) {
      const first = next;
      while (chunk[next]?.place === place) next += 1;
      if (next > first) yield chunk.slice(first, next).map((row) => row.phone_number);
      // Where something is left, it is another campaign's.
      if (next < chunk.length) return;
      const read = await chunks.next();
      if (read.done === true) return;
      chunk = read.value;
      next = 0;
    }
  }
  return Array.from({ length: count }, (_, at) => listAt(at + 1));
}

async function* chunksOf(db: Executor, key: PageKey): AsyncGenerator<readonly NumberRow[], void> {
  const query = selectNumbers(key).compile(db);
  for await (const { rows } of db.getExecutor().stream<NumberRow>(query, chunkLength)) yield rows;
}

/**
 * One list after the other, each sorted by itself: the order of `places` is the function's own, which the join keeps, so that
 * nothing has to be read before the first row is there.
 */
function selectNumbers(key: PageKey): RawBuilder<NumberRow> {
  return sql<NumberRow>`
    select places.place::integer as place, numbers.phone_number, numbers.position
    from unnest(${key.campaignIds}::uuid[]) with ordinality as places (campaign_id, place)
    cross join lateral (
      select r.phone_number, r.position from campaigns c
      join campaign_recipients r on r.organization_id = c.organization_id and r.campaign_id = c.id
      where c.organization_id = ${key.organizationId} and c.id = places.campaign_id
        and (r.withdrawn_at is null or r.withdrawn_at >= c.ended_at)
      order by r.position) numbers
    order by places.place`;
}
