import { type Selectable, sql } from 'kysely';
import { lockCampaignRow } from './campaign-lifecycle.ts';
import { isOnList } from './campaign-numbers.ts';
import type { Tx } from '../transaction.ts';
import { joinedParams, paramsColumns, requireFewKeys } from './recipient-list.ts';
import type { JsonObject } from '../schema/columns.ts';
import type { CampaignTable } from '../schema/campaigns.ts';
import type { CampaignKey } from '../keys.ts';

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

/** Moves recipients from the campaign's old zone to the new one, unless the zone is their own. */
export async function moveCampaignZone(
  tx: Tx,
  { organizationId, campaignId }: CampaignKey,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await sql`
    update campaign_recipients set calling_key = ${to}
    where organization_id = ${organizationId} and campaign_id = ${campaignId} and calling_key = ${from}
      and place ->> 'timezone' is null`.execute(tx);
}

/** The calling keys of the people on the list. @throws ConflictError `quota_exceeded` if they are too many for a campaign */
export async function findCallingKeys(tx: Tx, key: CampaignKey): Promise<string[]> {
  const { rows } = await sql<{ calling_key: string }>`
    select distinct calling_key from campaign_recipients
    where organization_id = ${key.organizationId} and campaign_id = ${key.campaignId} and ${isOnList(key)}`.execute(
    tx,
  );
  const keys = new Set(rows.map((row) => row.calling_key));
  requireFewKeys(keys);
  return [...keys].toSorted();
}
