import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import { isOnList } from './is-on-list.ts';

/** Of a list without gaps, 5,000 numbers. */
const chunk = sql`position / 5000`;
const chunksAtOnce = 4;

/**
 * The numbers of a campaign in the order of its list, in chunks; numbers that an update took off the list are left out, those
 * that a cancel or the end left undialed are not. Reads through a cursor, so it holds its connection until it ends or is left: for readers as fast as the
 * database.
 *
 * Postgres makes one text of each chunk: rows with a number each cost this process six times as much (docs/decisions/0081).
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
