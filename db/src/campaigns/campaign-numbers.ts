import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Executor } from '../transaction.ts';
import { prepared } from '../postgres/prepared.ts';
import { shortParamsBytes } from './read-campaigns.ts';
import type { CampaignKey } from '../keys.ts';

/** 5,000 numbers of a list without gaps. */
const chunk = sql`position / 5000`;
const chunksAtOnce = 4;

/**
 * The numbers of a campaign in list order, in chunks. Leaves out numbers that an update removed, but not those that a cancel or the end left
 * undialed. Reads through a cursor that occupies a connection, so it is only for fast readers.
 *
 * Postgres concatenates each chunk, because a row per number would cost this process six times as much (docs/decisions/api.md).
 */
export async function* campaignNumbers(db: Executor, key: CampaignKey): AsyncGenerator<string[]> {
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

/** The most numbers of an answer that is not streamed. */
const numbersAtMost = 10_000;

interface PageKey {
  organizationId: string;
  campaignIds: readonly string[];
}

/**
 * Like `campaignNumbers` for several campaigns in one statement, which saves round trips. Each list is the text of a JSON array, so that it is
 * not parsed and serialized again. Null if there are too many numbers for one answer; then read the campaigns one at a time.
 */
export async function numbersOfPage(
  db: Executor,
  key: PageKey,
): Promise<Array<{ text: string; count: number }> | null> {
  const { campaignIds } = key;
  if (campaignIds.length === 0) return [];
  const { rows } = await sql<{ place: number; count: number; numbers: string }>`
    select place, count(*)::integer as count, json_agg(phone_number order by position)::text as numbers
    from (${selectNumbers(key)} limit ${numbersAtMost}) numbers group by place`.execute(prepared(db));
  if (rows.reduce((sum, row) => sum + row.count, 0) >= numbersAtMost) return null;
  const byPlace = new Map(rows.map((row) => [row.place, { text: row.numbers, count: row.count }]));
  return campaignIds.map((_, at) => byPlace.get(at + 1) ?? { text: '[]', count: 0 });
}

interface NumberRow {
  /** The position of the campaign in the page, from 1. */
  place: number;
  phone_number: string;
}

/** Ordered by the primary key, so that the index scan stops at the limit. Ordering by `position` would sort a list of a million. */
function selectNumbers(key: PageKey): RawBuilder<NumberRow> {
  return sql<NumberRow>`
    select places.place::integer as place, numbers.phone_number, numbers.position
    from unnest(${key.campaignIds}::uuid[]) with ordinality as places (campaign_id, place)
    join campaigns c on c.organization_id = ${key.organizationId} and c.id = places.campaign_id
    cross join lateral (
      select r.phone_number, r.position from campaign_recipients r
      where r.organization_id = c.organization_id and r.campaign_id = c.id
        and (r.withdrawn_at is null or r.withdrawn_at >= c.ended_at)
      order by r.id limit ${numbersAtMost}) numbers`;
}

/** Whether a campaign is too long for one answer. Stops reading as soon as it knows. */
export async function isLongCampaign(
  db: Executor,
  { organizationId, campaignId }: CampaignKey,
): Promise<boolean> {
  const { rows } = await sql<{ long: boolean }>`
    select coalesce(octet_length(c.recipient_params), 0) > ${shortParamsBytes} or exists (
      select from campaign_recipients r where r.campaign_id = c.id offset ${numbersAtMost - 1} limit 1) as long
    from campaigns c where c.organization_id = ${organizationId} and c.id = ${campaignId}`.execute(db);
  return rows[0]?.long === true;
}

/**
 * Whether a recipient is on its campaign's list. Removing a number from the list withdraws its recipient. The end of a campaign also withdraws
 * recipients, but these stay on the list.
 */
export function isOnList(key: CampaignKey): RawBuilder<SqlBool> {
  return sql<SqlBool>`(withdrawn_at is null or withdrawn_at >= (
    select ended_at from campaigns where organization_id = ${key.organizationId} and id = ${key.campaignId}))`;
}
