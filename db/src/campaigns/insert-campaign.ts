import type { Tx } from '../transaction.ts';
import type { JsonObject } from '../schema/columns.ts';
import { paramsColumns } from './recipient-params.ts';
import { insertRecipients } from './insert-recipients.ts';
import { callingKeysOf, type RecipientList } from './recipient-list.ts';

export interface NewCampaign {
  organizationId: string;
  name: string;
  agentId: string;
  /** A campaign that is to run is inserted as `paused`, and then started in the same transaction. */
  status: 'draft' | 'paused';
  startAt: Date;
  endAt: Date | null;
  /** The value of `end_date`, if the campaign ends after it. */
  endDateAt: Date | null;
  startTime: string;
  endTime: string;
  additionalParams: JsonObject;
  promptParams: Record<string, string>;
  recipients: RecipientList;
  /** The provider until the campaign is started. */
  provider: string;
  createdBy: string;
  now: Date;
}

/** Inserts a campaign with its recipients and runtime row; returns its id. */
export async function insertCampaign(tx: Tx, campaign: NewCampaign): Promise<string> {
  const { id } = await tx
    .insertInto('campaigns')
    .values({
      organization_id: campaign.organizationId,
      name: campaign.name,
      agent_id: campaign.agentId,
      status: campaign.status,
      start_at: campaign.startAt,
      end_at: campaign.endAt,
      end_date_at: campaign.endDateAt,
      start_time: campaign.startTime,
      end_time: campaign.endTime,
      timezone: campaign.recipients.timezone,
      calling_keys: callingKeysOf(campaign.recipients),
      calling_policy: campaign.recipients.callingPolicy,
      calling_keys_policy: campaign.recipients.callingPolicy,
      ...paramsColumns(campaign.additionalParams),
      prompt_params: JSON.stringify(campaign.promptParams),
      created_by: campaign.createdBy,
      created_at: campaign.now,
      updated_at: campaign.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await insertRecipients(
    tx,
    { organizationId: campaign.organizationId, campaignId: id, startAt: campaign.startAt },
    campaign.recipients,
  );
  await tx
    .insertInto('campaign_runtime')
    .values({ campaign_id: id, organization_id: campaign.organizationId, provider: campaign.provider })
    .execute();
  return id;
}
