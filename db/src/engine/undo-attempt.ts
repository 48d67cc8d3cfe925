import { sql } from 'kysely';
import { recipientsFinished } from '../outbox/event-rows.ts';
import type { Tx } from '../transaction.ts';
import { lockLineCaps } from './line-caps.ts';
import { releaseLines, type LineWaiters } from './lines.ts';

/**
 * Takes back an attempt that the provider did not want now: the row of the call goes, the recipient is due again at
 * `retryAt`, no attempt is burned. A direct call waits for its line again. Null where the attempt is no
 * longer the caller's: it was placed again under a later gate.
 * `isWithdrawn`: the provider had taken the call, and says that it never dialed it and never will.
 */
export async function undoAttempt(
  tx: Tx,
  args: {
    callId: string;
    gatedAt: Date;
    retryAt: Date;
    now: Date;
    queueTimeoutSeconds: number;
    isWithdrawn?: boolean;
  },
): Promise<{ lineWaiters: LineWaiters } | null> {
  await lockLineCaps(tx);
  const { rows } = await sql<{
    organization_id: string;
    campaign_id: string | null;
    recipient_id: string | null;
    provider: string;
  }>`select organization_id, campaign_id, recipient_id, provider from calls
     where id = ${args.callId} and phase = 'placing' and (accepted_at is null or ${args.isWithdrawn ?? false}) and gated_at = ${args.gatedAt} for update`.execute(
    tx,
  );
  const call = rows[0];
  if (!call) return null;
  if (call.recipient_id === null) {
    await sql`
      update calls set phase = 'queued', gated_at = null, check_at = null, slot_at = null, line_held = false,
        queue_deadline_at = created_at + ${args.queueTimeoutSeconds} * interval '1 second'
      where id = ${args.callId}`.execute(tx);
  } else {
    await sql`
      with undone as (
      update campaign_recipients r
      set state = case when r.withdrawn_at is not null then 'withdrawn' else 'pending' end,
          next_attempt_at = case when r.withdrawn_at is null then ${args.retryAt}::timestamptz end,
          attempts = r.attempts - 1, round_attempts = r.round_attempts - 1,
          first_attempt_at = case when r.attempts > 1 then r.first_attempt_at end,
          claim_id = null, claim_provider = null, slot_at = null
      where r.organization_id = ${call.organization_id} and r.campaign_id = ${call.campaign_id}
        and r.id = ${call.recipient_id} and r.state = 'dialing' and r.claim_id = ${args.callId}
      returning r.*)
      ${recipientsFinished(sql`undone where state = 'withdrawn'`, { reason: 'withdrawn', now: args.now })}`.execute(
      tx,
    );
    await sql`delete from calls where id = ${args.callId}`.execute(tx);
  }
  const { lineWaiters } = await releaseLines(
    tx,
    [
      {
        organizationId: call.organization_id,
        campaignId: call.campaign_id,
        provider: call.provider,
        count: 1,
      },
    ],
    args.now,
  );
  return { lineWaiters };
}
