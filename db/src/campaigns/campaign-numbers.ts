import type { Executor } from '../transaction.ts';
import { isOnList } from './is-on-list.ts';

/** Rows that the cursor holds in memory at a time. */
const chunkLength = 5_000;

/**
 * The numbers of a campaign in the order of its list, in chunks; numbers that an update took off the list are left out, those
 * that a cancel or the end left undialed are not. Reads through a cursor, so it holds its connection until it ends or is left: for readers as fast as the
 * database.
 */
export async function* campaignNumbers(
  db: Executor,
  key: { organizationId: string; campaignId: string },
): AsyncGenerator<string[]> {
  const rows = db
    .selectFrom('campaign_recipients')
    .select('phone_number')
    .where('organization_id', '=', key.organizationId)
    .where('campaign_id', '=', key.campaignId)
    .where(isOnList(key))
    .orderBy('position')
    .stream(chunkLength);
  let chunk: string[] = [];
  for await (const row of rows) {
    chunk.push(row.phone_number);
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
