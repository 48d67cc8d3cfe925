import type { Outcome } from '@outdial/core';
import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';

/**
 * Gives another round to recipients whose last outcome is one of `outcomes` and who are finished, or were withdrawn when the campaign ended;
 * returns how many. The campaign's row is locked. Recipients that an update removed from the list stay removed.
 */
export async function retryRecipients(
  tx: Tx,
  args: {
    organizationId: string;
    campaignId: string;
    outcomes: readonly Outcome[];
    startAt: Date;
    endedAt: Date | null;
    now: Date;
  },
): Promise<number> {
  // A million rows may take longer than the timeout.
  await sql`set local statement_timeout = 0`.execute(tx);
  const result = await sql`
    update campaign_recipients r
    set state = 'pending', withdrawn_at = null, call_id = null, round = r.round + 1, round_attempts = 0,
        requested_round = r.round + 1, finish_reason = null,
        next_attempt_at = greatest(${args.now}::timestamptz, ${args.startAt}::timestamptz)
    where r.organization_id = ${args.organizationId} and r.campaign_id = ${args.campaignId}
      and coalesce(r.last_outcome, '') = any(${args.outcomes}::text[]) and (
        (r.state = 'done' and r.withdrawn_at is null)
        or (r.state = 'withdrawn' and r.withdrawn_at >= ${args.endedAt}::timestamptz))`.execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}

/** Clears the end of a campaign whose row is locked. Recipients that were withdrawn at the end leave the list, unless they have another round. */
export async function reopenCampaign(tx: Tx, campaignId: string): Promise<void> {
  await tx
    .updateTable('campaigns')
    .set({ ended_at: null, recipients_revision: sql`recipients_revision + 1` })
    .where('id', '=', campaignId)
    .execute();
}
