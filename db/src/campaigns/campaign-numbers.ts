import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import { isOnList } from './is-on-list.ts';

/** 5,000 numbers of a list without gaps. */
const chunk = sql`position / 5000`;
const chunksAtOnce = 4;

/**
 * The numbers of a campaign in list order, in chunks. Leaves out numbers that an update removed, but not those that a cancel or the end left
 * undialed. Reads through a cursor that occupies a connection, so it is only for fast readers.
 *
 * Postgres concatenates each chunk, because a row per number would cost this process six times as much (docs/decisions/api.md).
 */
export async function* campaignNumbers(
  db: Executor,
  key: { organizationId: string; campaignId: string },
): AsyncGenerator<string[]> {
  const chunks = db
    .selectFrom('campaign_recipients')
    .select(sql<string>`string_agg(phone_number, ',' order by position)`.as('numbers'))
    .where('organization_id', '=', key.organizationId)
    .where('campaign_id', '=', key.campaignId)
    .where(isOnList(key))
    .groupBy(chunk)
    .orderBy(chunk)
    .stream(chunksAtOnce);
  for await (const { numbers } of chunks) yield numbers.split(',');
}
