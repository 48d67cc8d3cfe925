import { callingKeyOf, type CallingKey, type CallingPolicy, nowhereKey, policyOfKey } from '@outdial/core';
import { sql } from 'kysely';
import type { StoredPlace } from '../schema/campaigns.ts';
import type { Executor, Tx } from '../transaction.ts';
import { bumpRevision, lockCampaignRow } from './campaign-lifecycle.ts';
import { callingKeysAtMost } from './recipient-list.ts';
import { wakeCampaign } from './wake.ts';
import type { CampaignKey } from '../keys.ts';

/** Comes before every id. */
const theStart = '00000000-0000-0000-0000-000000000000';

/** Campaigns whose calling keys follow an earlier policy of their organization. */
export async function findCampaignsToKey(db: Executor, limit: number): Promise<CampaignKey[]> {
  const { rows } = await sql<{ id: string; organization_id: string }>`
    select id, organization_id from campaigns where calling_policy <> calling_keys_policy order by id limit ${limit}`.execute(
    db,
  );
  return rows.map((row) => ({ organizationId: row.organization_id, campaignId: row.id }));
}

/**
 * Locks a campaign and recomputes the calling keys of a batch of its recipients. The campaign's list of keys gains new ones at once, so that
 * their recipients are dialed, and loses old ones after the last batch. Recipients in further places than a campaign may have are not called under this
 * policy. Returns where to continue, which is the start if the policy changed in the meantime; null after the last batch.
 */
export async function rekeyBatch(
  tx: Tx,
  key: CampaignKey,
  args: { after: string | null; limit: number; now: Date },
): Promise<string | null> {
  await lockCampaignRow(tx, key);
  const { rows: campaigns } = await sql<{
    calling_policy: CallingPolicy;
    calling_keys_policy: CallingPolicy;
    timezone: string;
    calling_keys: string[];
    is_running: boolean;
  }>`
    select calling_policy, calling_keys_policy, timezone, calling_keys, status = 'running' as is_running from campaigns
    where id = ${key.campaignId} and organization_id = ${key.organizationId}`.execute(tx);
  const [campaign] = campaigns;
  if (!campaign || campaign.calling_policy === campaign.calling_keys_policy) return null;
  const { rows } = await sql<{
    id: string;
    phone_number: string;
    calling_key: string;
    place: StoredPlace | null;
  }>`
    select id, phone_number, calling_key, place from campaign_recipients
    where organization_id = ${key.organizationId} and campaign_id = ${key.campaignId}
      and (${args.after}::uuid is null or id > ${args.after}::uuid)
    order by id limit ${args.limit} for no key update`.execute(tx);
  const policy = campaign.calling_policy;
  const known = new Set(campaign.calling_keys.filter((one) => policyOfKey(one) === policy));
  const changed = rows.flatMap((row) => {
    const made = boundedKey(policy, keyUnder(policy, row, campaign.timezone), known);
    return made === row.calling_key ? [] : [{ ...row, made }];
  });
  await sql`
    update campaign_recipients r set calling_key = x.key, place = x.place
    from unnest(${changed.map(({ id }) => id)}::uuid[], ${changed.map(({ made }) => made)}::text[],
                ${changed.map((row) => placeOf(row, campaign.timezone))}::jsonb[]) as x(id, key, place)
    where r.organization_id = ${key.organizationId} and r.campaign_id = ${key.campaignId} and r.id = x.id`.execute(
    tx,
  );
  if (rows.length < args.limit) {
    return (await finish(tx, key, campaign, args.now)) ? null : theStart;
  }
  const keys = [...new Set([...campaign.calling_keys, ...changed.map(({ made }) => made)])];
  await saveKeys(tx, key, { keys, isRunning: campaign.is_running, now: args.now });
  return rows.at(-1)?.id ?? null;
}

/** The key, if it is one of those that the campaign has or may still have. */
function boundedKey(policy: CallingPolicy, key: CallingKey, known: Set<CallingKey>): CallingKey {
  if (known.has(key)) return key;
  // Under `none` there are only as many keys as time zones.
  if (known.size >= callingKeysAtMost && policy !== 'none') return nowhereKey(policy);
  known.add(key);
  return key;
}

interface KeyedRow {
  phone_number: string;
  calling_key: string;
  place: StoredPlace | null;
}

/** A zone that differs from the campaign's was set by the caller, even if the row has no stored place. */
function givenZone({ calling_key: key, place }: KeyedRow, campaignZone: string): string | undefined {
  if (place?.timezone !== undefined) return place.timezone;
  return policyOfKey(key) === 'none' && key !== campaignZone ? key : undefined;
}

function keyUnder(policy: CallingPolicy, row: KeyedRow, campaignZone: string): string {
  const { region, postal_code: postalCode } = row.place ?? {};
  const person = {
    phoneNumber: row.phone_number,
    timezone: givenZone(row, campaignZone),
    region,
    postalCode,
  };
  return callingKeyOf(policy, person, campaignZone);
}

function placeOf(row: KeyedRow, campaignZone: string): string | null {
  const place: StoredPlace = { ...row.place, timezone: givenZone(row, campaignZone) };
  return Object.values(place).every((value) => value === undefined) ? null : JSON.stringify(place);
}

async function saveKeys(
  tx: Tx,
  { campaignId }: CampaignKey,
  { keys, isRunning, now }: { keys: string[]; isRunning: boolean; now: Date },
): Promise<void> {
  await tx
    .updateTable('campaigns')
    .set({ calling_keys: keys.toSorted((one, other) => one.localeCompare(other)) })
    .where('id', '=', campaignId)
    .execute();
  await bumpRevision(tx, campaignId, now);
  if (isRunning) await wakeCampaign(tx, campaignId, now);
}

/** False if people who came before were given keys of an earlier policy. */
async function finish(
  tx: Tx,
  key: CampaignKey,
  campaign: { calling_policy: CallingPolicy; is_running: boolean },
  now: Date,
): Promise<boolean> {
  const { rows } = await sql<{ calling_key: string }>`
    select distinct calling_key from campaign_recipients
    where organization_id = ${key.organizationId} and campaign_id = ${key.campaignId}`.execute(tx);
  const keys = rows.map((row) => row.calling_key);
  const isWhole = keys.every((one) => policyOfKey(one) === campaign.calling_policy);
  if (isWhole) {
    await tx
      .updateTable('campaigns')
      .set({ calling_keys_policy: campaign.calling_policy })
      .where('id', '=', key.campaignId)
      .execute();
  }
  await saveKeys(tx, key, { keys, isRunning: campaign.is_running, now });
  return isWhole;
}
