import type { CampaignRules, Outcome } from '@outdial/core';
import { stepOfRow, type LockedCall, type LockedRecipient, type RecipientChange } from '@outdial/db';

/** Decides the next step of a recipient after an attempt, under the current rules. Null if a later attempt has begun. */
export function decideAfterAttempt(
  call: LockedCall,
  recipient: LockedRecipient,
  rules: CampaignRules,
  outcome: Outcome,
  now: Date,
): RecipientChange | null {
  const isLive = recipient.state === 'dialing' && recipient.call_id === call.id;
  const isLast = recipient.attempts === call.attempt && ['done', 'pending'].includes(recipient.state);
  if (!isLive && !isLast) return null;
  const row = {
    ...recipient,
    last_outcome: outcome,
    next_attempt_at: null,
    // The round of the call, because the recipient may be in a later one by now.
    call_round: call.round,
    call_round_attempt: call.round_attempt,
    call_gated_at: call.gated_at,
    call_ended_at: now,
    call_outcome: outcome,
  };
  const { organization_id: organizationId, campaign_id: campaignId } = call;
  if (campaignId === null) throw new Error('a recipient without a campaign');
  return { organizationId, campaignId, recipientId: recipient.id, ...stepOfRow(row, rules, now) };
}
