import type { CampaignPurpose, ConsentBasis, Outcome, RetryDelays } from '@outdial/core';
import { sql, type Selectable } from 'kysely';
import type { CampaignConfigTable } from '../schema/campaigns.ts';
import type { Tx } from '../transaction.ts';

export type CampaignConfigRow = Selectable<CampaignConfigTable>;

/** Omitted fields do not change. */
export interface CampaignConfigChanges {
  callOnWeekend?: boolean | undefined;
  queueAgain?: boolean | undefined;
  callBackAttempts?: number | undefined;
  retryDelaySeconds?: number | undefined;
  retryDelaysSeconds?: RetryDelays | null | undefined;
  retryOn?: Outcome[] | undefined;
  maxConcurrentCalls?: number | undefined;
  callsPerSecond?: number | null | undefined;
  maxAttemptsPerRecipient?: number | null | undefined;
  priority?: number | undefined;
  purpose?: CampaignPurpose | null | undefined;
  requireConsent?: boolean | undefined;
  consentBases?: ConsentBasis[] | null | undefined;
  /** By name; null or an empty list for none. */
  scrubLists?: string[] | null | undefined;
  reassignedQueryDays?: number | null | undefined;
}

/** Updates the config of a campaign whose row is locked. */
export async function writeCampaignConfig(
  tx: Tx,
  args: { organizationId: string; campaignId: string; changes: CampaignConfigChanges; now: Date },
): Promise<CampaignConfigRow> {
  const named = columnsOf(args.changes);
  return tx
    .updateTable('campaign_configs')
    .set({ ...named, updated_at: sql<Date>`greatest(${args.now}, created_at + interval '1 millisecond')` })
    .where('organization_id', '=', args.organizationId)
    .where('campaign_id', '=', args.campaignId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function columnsOf(changes: CampaignConfigChanges) {
  return {
    ...(changes.callOnWeekend !== undefined && { call_on_weekend: changes.callOnWeekend }),
    ...(changes.queueAgain !== undefined && { queue_again: changes.queueAgain }),
    ...(changes.callBackAttempts !== undefined && { call_back_attempts: changes.callBackAttempts }),
    ...(changes.retryDelaySeconds !== undefined && { retry_delay_seconds: changes.retryDelaySeconds }),
    ...(changes.retryDelaysSeconds !== undefined && {
      retry_delays_seconds:
        changes.retryDelaysSeconds === null ? null : JSON.stringify(changes.retryDelaysSeconds),
    }),
    ...(changes.retryOn !== undefined && { retry_on: changes.retryOn }),
    ...(changes.maxConcurrentCalls !== undefined && { max_concurrent_calls: changes.maxConcurrentCalls }),
    ...(changes.callsPerSecond !== undefined && { calls_per_second: changes.callsPerSecond }),
    ...(changes.maxAttemptsPerRecipient !== undefined && {
      max_attempts_per_recipient: changes.maxAttemptsPerRecipient,
    }),
    ...(changes.priority !== undefined && { priority: changes.priority }),
    ...(changes.requireConsent !== undefined && { require_consent: changes.requireConsent }),
    ...(changes.consentBases !== undefined && { consent_bases: changes.consentBases }),
    ...(changes.scrubLists !== undefined && {
      scrub_lists: changes.scrubLists?.length === 0 ? null : changes.scrubLists,
    }),
    ...(changes.reassignedQueryDays !== undefined && {
      reassigned_query_days: changes.reassignedQueryDays,
    }),
    ...(changes.purpose !== undefined && { purpose: changes.purpose }),
  };
}
