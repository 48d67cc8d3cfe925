import type { Tx } from '../transaction.ts';
import { paramsColumns } from './recipient-params.ts';
import { insertRecipients } from './insert-recipients.ts';
import { callingKeysOf, type RecipientList } from './recipient-list.ts';
import type { CampaignFields } from './update-campaign.ts';

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
