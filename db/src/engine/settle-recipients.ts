import { sql } from 'kysely';
import { recipientsFinished } from '../outbox/event-rows.ts';
import type { Tx } from '../transaction.ts';

/**
 * Recipients that wait for a further attempt which the config of now no longer gives them are done. The campaign's row is held and
 * nothing of it is claimed. Says how many.
 */
export async function settleRecipients(
  tx: Tx,
  args: { organizationId: string; campaignId: string; now: Date },
): Promise<number> {
  const result = await sql`
    with settled as (
    update campaign_recipients r
    set state = 'done', next_attempt_at = null
    from campaign_configs f
    where f.organization_id = ${args.organizationId} and f.campaign_id = ${args.campaignId}
      and r.organization_id = f.organization_id and r.campaign_id = f.campaign_id
      and r.state = 'pending' and r.attempts > 0 and (
        r.attempts >= f.max_attempts_per_recipient
        or r.last_outcome <> all (f.retry_on)
        -- A round that has not begun yet has no attempts.
        or (not f.queue_again and (r.round_attempts = 0 or r.round_attempts > f.call_back_attempts)))
    returning r.*)
    ${recipientsFinished(sql`settled`, { reason: 'attempts_used', now: args.now })}`.execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}
