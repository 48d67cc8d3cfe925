import { sql } from 'kysely';
import type { Executor, Tx } from '../transaction.ts';
import { callingKeysOf, recipientChunks, type RecipientList, paramsColumns } from './recipient-list.ts';
import type { CampaignFields } from './update-campaign.ts';
import type { CampaignKey } from '../keys.ts';

export interface NewCampaign extends Omit<CampaignFields, 'timezone' | 'calling_keys'> {
  organization_id: string;
  /** A campaign that is to run is inserted as `paused`, and then started in the same transaction. */
  status: 'draft' | 'paused';
  created_by: string;
  created_at: Date;
}

/**
 * Inserts a campaign with its recipients and runtime row; returns its id.
 * @param provider until the campaign is started
 */
export async function insertCampaign(
  tx: Tx,
  { additional_params: params, prompt_params: values, ...fields }: NewCampaign,
  recipients: RecipientList,
  provider: string,
): Promise<string> {
  const { organization_id, start_at: startAt } = fields;
  const { id } = await tx
    .insertInto('campaigns')
    .values({
      ...fields,
      timezone: recipients.timezone,
      calling_keys: callingKeysOf(recipients),
      calling_policy: recipients.callingPolicy,
      calling_keys_policy: recipients.callingPolicy,
      ...paramsColumns(params),
      prompt_params: JSON.stringify(values),
      updated_at: fields.created_at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await insertRecipients(tx, { organizationId: organization_id, campaignId: id, startAt }, recipients);
  await tx.insertInto('campaign_runtime').values({ campaign_id: id, organization_id, provider }).execute();
  return id;
}

export async function insertRecipients(
  tx: Tx,
  campaign: CampaignKey & { startAt: Date },
  list: RecipientList,
): Promise<void> {
  for (const chunk of recipientChunks(list)) {
    await sql`
      insert into campaign_recipients
        (organization_id, campaign_id, position, phone_number, calling_key, place, prompt_params, next_attempt_at)
      select ${campaign.organizationId}::uuid, ${campaign.campaignId}::uuid,
             ${chunk.firstPosition}::integer + r.n - 1, r.phone_number,
             coalesce(r.key, ${list.timezone}), r.place, r.prompt_params, ${campaign.startAt}::timestamptz
      from unnest(${chunk.phoneNumbers}::text[], ${chunk.keys}::text[], ${chunk.places}::jsonb[], ${chunk.promptParams}::jsonb[])
           with ordinality as r (phone_number, key, place, prompt_params, n)`.execute(tx);
  }
}

/** Until autovacuum analyzes the table, the planner assumes that a new campaign has few rows, and may scan all of them instead of looking up a key. */
export async function refreshRecipientStatistics(db: Executor): Promise<void> {
  await sql`analyze campaign_recipients`.execute(db);
}
