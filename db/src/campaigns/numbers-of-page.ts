import { sql, type RawBuilder } from 'kysely';
import type { Executor } from '../transaction.ts';

/** Rows that are held in memory at a time. */
const chunkLength = 5_000;

/** The numbers of the campaigns of a page. */
export interface PageNumbers {
  /** Of each campaign in chunks, in the order of its list. To be read in the order of the campaigns, each to its end. */
  lists: AsyncIterable<string[]>[];
  /** To be called when nobody reads any more: a cursor may be open, and nothing else can be asked of its connection. */
  close(): Promise<void>;
}

/**
 * What `campaignNumbers` gives of one campaign, for several with one statement, which is read no faster than they are: fifty
 * small lists would cost fifty times a statement's round trips.
 */
export function numbersOfPage(
  db: Executor,
  key: { organizationId: string; campaignIds: readonly string[] },
): PageNumbers {
  const rows = rowChunks(db, key);
  let chunk: readonly NumberRow[] = [];
  let next = 0;

  async function* listAt(place: number): AsyncGenerator<string[]> {
    for (;;) {
      const first = next;
      while (chunk[next]?.place === place) next += 1;
      if (next > first) yield chunk.slice(first, next).map((row) => row.phone_number);
      // Where something is left, it is another campaign's.
      if (next < chunk.length) return;
      const read = await rows.next();
      if (read.done === true) return;
      chunk = read.value;
      next = 0;
    }
  }
  return {
    lists: key.campaignIds.map((_, at) => listAt(at + 1)),
    close: async () => {
      await rows.return();
    },
  };
}

interface NumberRow {
  /** Of its campaign in the page, from 1. */
  place: number;
  phone_number: string;
}

/** Most pages are small and come in one round trip; only what is longer is read through a cursor, which takes four. */
async function* rowChunks(
  db: Executor,
  key: { organizationId: string; campaignIds: readonly string[] },
): AsyncGenerator<readonly NumberRow[], void> {
  if (key.campaignIds.length === 0) return;
  const { rows } = await sql<NumberRow>`${selectNumbers(key)} limit ${chunkLength}`.execute(db);
  yield rows;
  if (rows.length < chunkLength) return;
  const others = selectNumbers(key).compile(db);
  let isFirst = true;
  for await (const read of db.getExecutor().stream<NumberRow>(others, chunkLength)) {
    if (!isFirst) yield read.rows;
    isFirst = false;
  }
}

/**
 * One list after the other, each sorted by itself: the order of `places` is the function's own, which the join keeps, so that
 * nothing has to be read before the first row is there.
 */
function selectNumbers(key: {
  organizationId: string;
  campaignIds: readonly string[];
}): RawBuilder<NumberRow> {
  return sql<NumberRow>`
    select places.place::integer as place, numbers.phone_number
    from unnest(${key.campaignIds}::uuid[]) with ordinality as places (campaign_id, place)
    cross join lateral (
      select r.phone_number from campaigns c
      join campaign_recipients r on r.organization_id = c.organization_id and r.campaign_id = c.id
      where c.organization_id = ${key.organizationId} and c.id = places.campaign_id
        and (r.withdrawn_at is null or r.withdrawn_at >= c.ended_at)
      order by r.position) numbers
    order by places.place`;
}
