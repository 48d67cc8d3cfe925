import type { Outcome } from '@outdial/core';
import type { Selectable } from 'kysely';
import type { CampaignConfigTable } from '../schema/campaigns.ts';
import type { Tx } from '../transaction.ts';

export type CampaignConfigRow = Selectable<CampaignConfigTable>;

/** What a PUT of a config names; what it leaves out stays as it is. */
export interface CampaignConfigChanges {
  callOnWeekend?: boolean | undefined;
  queueAgain?: boolean | undefined;
  callBackAttempts?: number | undefined;
  retryDelaySeconds?: number | undefined;
  retryOn?: Outcome[] | undefined;
  maxConcurrentCalls?: number | undefined;
  callsPerSecond?: number | null | undefined;
  maxAttemptsPerRecipient?: number | null | undefined;
  priority?: number | undefined;
}

/** Writes the config of a campaign whose row is held, or makes it. */
export async function writeCampaignConfig(
  tx: Tx,
  args: { organizationId: string; campaignId: string; changes: CampaignConfigChanges; now: Date },
): Promise<CampaignConfigRow> {
  const named = columnsOf(args.changes);
  return tx
    .insertInto('campaign_configs')
    .values({
      organization_id: args.organizationId,
      campaign_id: args.campaignId,
      created_at: args.now,
      updated_at: args.now,
      ...named,
    })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'campaign_id']).doUpdateSet({ ...named, updated_at: args.now }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

function columnsOf(changes: CampaignConfigChanges) {
  return {
    ...(changes.callOnWeekend !== undefined && { call_on_weekend: changes.callOnWeekend }),
    ...(changes.queueAgain !== undefined && { queue_again: changes.queueAgain }),
    ...(changes.callBackAttempts !== undefined && { call_back_attempts: changes.callBackAttempts }),
    ...(changes.retryDelaySeconds !== undefined && { retry_delay_seconds: changes.retryDelaySeconds }),
    ...(changes.retryOn !== undefined && { retry_on: changes.retryOn }),
    ...(changes.maxConcurrentCalls !== undefined && { max_concurrent_calls: changes.maxConcurrentCalls }),
    ...(changes.callsPerSecond !== undefined && { calls_per_second: changes.callsPerSecond }),
    ...(changes.maxAttemptsPerRecipient !== undefined && {
      max_attempts_per_recipient: changes.maxAttemptsPerRecipient,
    }),
    ...(changes.priority !== undefined && { priority: changes.priority }),
  };
}
