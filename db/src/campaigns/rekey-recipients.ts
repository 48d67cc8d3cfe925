import { callingKeyOf, type CallingPolicy, policyOfKey } from '@outdial/core';
import { sql } from 'kysely';
import type { StoredPlace } from '../schema/campaigns.ts';
import type { Executor, Tx } from '../transaction.ts';
import { bumpRevision } from './campaign-lifecycle.ts';
import { lockCampaignRow } from './campaign-locks.ts';
import { type CampaignKey, wakeCampaign } from './wake.ts';

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
 * their recipients are dialed, and loses old ones after the last batch. Returns where to continue; null after the last batch.
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
  const changed = rows.flatMap((row) => {
    const made = keyUnder(campaign.calling_policy, row, campaign.timezone);
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
    await finish(tx, key, campaign, args.now);
    return null;
  }
  const keys = [...new Set([...campaign.calling_keys, ...changed.map(({ made }) => made)])];
  await saveKeys(tx, key, { keys, isRunning: campaign.is_running, now: args.now });
  return rows.at(-1)?.id ?? null;
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

async function finish(
  tx: Tx,
  key: CampaignKey,
  campaign: { calling_policy: CallingPolicy; is_running: boolean },
  now: Date,
): Promise<void> {
  const { rows } = await sql<{ calling_key: string }>`
    select distinct calling_key from campaign_recipients
    where organization_id = ${key.organizationId} and campaign_id = ${key.campaignId}`.execute(tx);
  await tx
    .updateTable('campaigns')
    .set({ calling_keys_policy: campaign.calling_policy })
    .where('id', '=', key.campaignId)
    .execute();
  const keys = rows.map((row) => row.calling_key);
  await saveKeys(tx, key, { keys, isRunning: campaign.is_running, now });
}
