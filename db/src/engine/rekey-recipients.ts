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
    select id, organization_id from campaigns where calling_policy <> keyed_policy order by id limit ${limit}`.execute(
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
    keyed_policy: CallingPolicy;
    timezone: string;
    zones: string[];
    is_running: boolean;
  }>`
    select calling_policy, keyed_policy, timezone, zones, status = 'running' as is_running from campaigns
    where id = ${key.campaignId} and organization_id = ${key.organizationId}`.execute(tx);
  const [campaign] = campaigns;
  if (!campaign || campaign.calling_policy === campaign.keyed_policy) return null;
  const { rows } = await sql<{
    id: string;
    phone_number: string;
    timezone: string;
    place: StoredPlace | null;
  }>`
    select id, phone_number, timezone, place from campaign_recipients
    where organization_id = ${key.organizationId} and campaign_id = ${key.campaignId}
      and (${args.after}::uuid is null or id > ${args.after}::uuid)
    order by id limit ${args.limit} for no key update`.execute(tx);
  const changed = rows.flatMap((row) => {
    const made = keyUnder(campaign.calling_policy, row, campaign.timezone);
    return made === row.timezone ? [] : [{ ...row, made }];
  });
  await sql`
    update campaign_recipients r set timezone = x.key, place = x.place
    from unnest(${changed.map(({ id }) => id)}::uuid[], ${changed.map(({ made }) => made)}::text[],
                ${changed.map((row) => placeOf(row, campaign.timezone))}::jsonb[]) as x(id, key, place)
    where r.organization_id = ${key.organizationId} and r.campaign_id = ${key.campaignId} and r.id = x.id`.execute(
    tx,
  );
  if (rows.length < args.limit) {
    await finish(tx, key, campaign, args.now);
    return null;
  }
  const zones = [...new Set([...campaign.zones, ...changed.map(({ made }) => made)])];
  await saveZones(tx, key, { zones, isRunning: campaign.is_running, now: args.now });
  return rows.at(-1)?.id ?? null;
}

interface KeyedRow {
  phone_number: string;
  timezone: string;
  place: StoredPlace | null;
}

/** A zone that differs from the campaign's was set by the caller, even if the row has no stored place. */
function givenZone({ timezone, place }: KeyedRow, campaignZone: string): string | undefined {
  if (place?.timezone !== undefined) return place.timezone;
  return policyOfKey(timezone) === 'none' && timezone !== campaignZone ? timezone : undefined;
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

async function saveZones(
  tx: Tx,
  { campaignId }: CampaignKey,
  { zones, isRunning, now }: { zones: string[]; isRunning: boolean; now: Date },
): Promise<void> {
  await tx
    .updateTable('campaigns')
    .set({ zones: zones.toSorted((one, other) => one.localeCompare(other)) })
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
  const { rows } = await sql<{ timezone: string }>`
    select distinct timezone from campaign_recipients
    where organization_id = ${key.organizationId} and campaign_id = ${key.campaignId}`.execute(tx);
  await tx
    .updateTable('campaigns')
    .set({ keyed_policy: campaign.calling_policy })
    .where('id', '=', key.campaignId)
    .execute();
  const zones = rows.map(({ timezone }) => timezone);
  await saveZones(tx, key, { zones, isRunning: campaign.is_running, now });
}
