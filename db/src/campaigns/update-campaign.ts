import { type Selectable, sql } from 'kysely';
import { lockCampaignRow } from './campaign-locks.ts';
import type { Tx } from '../transaction.ts';
import { joinedParams, paramsColumns } from './recipient-params.ts';
import type { JsonObject } from '../schema/columns.ts';
import type { CampaignTable } from '../schema/campaigns.ts';
import type { CampaignKey } from './wake.ts';

/** The columns that a caller can change, and those that follow from them. */
export interface CampaignFields extends Pick<
  Selectable<CampaignTable>,
  | 'name'
  | 'agent_id'
  | 'start_at'
  | 'end_at'
  | 'end_date_at'
  | 'start_time'
  | 'end_time'
  | 'timezone'
  | 'calling_keys'
  | 'prompt_params'
> {
  /** With its `recipients`. */
  additional_params: JsonObject;
}

export type LockedCampaign = CampaignFields & Pick<Selectable<CampaignTable>, 'status' | 'calling_policy'>;

/** Reads and locks a campaign. Until the commit, no gate passes and no other transaction changes it. */
export async function lockCampaignFields(tx: Tx, key: CampaignKey): Promise<LockedCampaign | null> {
  await lockCampaignRow(tx, key);
  const row = await tx
    .selectFrom('campaigns')
    .selectAll()
    .where('organization_id', '=', key.organizationId)
    .where('id', '=', key.campaignId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, additional_params: joinedParams(row) };
}

/** Updates a locked campaign under a new revision, which voids decisions under the old one. */
export async function writeCampaign(
  tx: Tx,
  key: CampaignKey,
  { additional_params: params, prompt_params: values, ...fields }: CampaignFields,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('campaigns')
    .set({
      ...fields,
      ...paramsColumns(params),
      prompt_params: JSON.stringify(values),
      list_revision: sql`list_revision + 1`,
      revision: sql`revision + 1`,
      updated_at: now,
    })
    .where('organization_id', '=', key.organizationId)
    .where('id', '=', key.campaignId)
    .execute();
}

/** Applies a new start to recipients that were never attempted. Others keep their own due time. */
export async function moveFirstAttempts(tx: Tx, key: CampaignKey, startAt: Date): Promise<void> {
  await tx
    .updateTable('campaign_recipients')
    .set({ next_attempt_at: startAt })
    .where('organization_id', '=', key.organizationId)
    .where('campaign_id', '=', key.campaignId)
    .where('state', '=', 'pending')
    .where('attempts', '=', 0)
    .where('next_attempt_at', 'is distinct from', startAt)
    .execute();
}

/**
 * Moves recipients from the campaign's old zone to the new one, unless the zone is their own. Returns the keys of all recipients afterwards.
 * @param args.ownZones numbers for which the caller explicitly named the old zone
 */
export async function moveCampaignZone(
  tx: Tx,
  { organizationId, campaignId }: CampaignKey,
  args: { from: string; to: string; ownZones: readonly string[] },
): Promise<string[]> {
  await sql`
    update campaign_recipients set calling_key = ${args.to}
    where organization_id = ${organizationId} and campaign_id = ${campaignId} and calling_key = ${args.from}
      and place ->> 'timezone' is null and phone_number <> all(${args.ownZones}::text[])`.execute(tx);
  const { rows } = await sql<{ calling_key: string }>`
    select distinct calling_key from campaign_recipients
    where organization_id = ${organizationId} and campaign_id = ${campaignId}`.execute(tx);
  return rows.map(({ calling_key: key }) => key).toSorted();
}
