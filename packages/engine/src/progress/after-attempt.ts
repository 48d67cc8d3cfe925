import { decideStep, type CampaignRules, type Outcome } from '@outdial/core';
import type { LockedCall, LockedRecipient, RecipientChange } from '@outdial/db';

/**
 * What becomes of a recipient whose attempt has ended, by the rules of now. Null where the attempt no longer decides it: a later one
 * has begun.
 */
export function decideAfterAttempt(
  call: LockedCall,
  recipient: LockedRecipient,
  rules: CampaignRules,
  outcome: Outcome,
  now: Date,
): RecipientChange | null {
  const isLive = recipient.state === 'dialing' && recipient.claimId === call.id;
  // A claim is no attempt yet: the gate has not opened for it.
  const isLast =
    recipient.attempts === call.attempt && ['done', 'pending', 'claimed'].includes(recipient.state);
  if (!isLive && !isLast) return null;
  const step = decideStep({
    rules,
    recipient,
    last: {
      attempt: call.attempt,
      // What the call was dialed as: its recipient may have been planned for another round since.
      round: call.round ?? recipient.round,
      roundAttempt: call.roundAttempt ?? recipient.roundAttempts,
      gatedAt: call.gatedAt ?? now,
      endedAt: now,
      outcome,
    },
  });
  const { organizationId, campaignId, id: recipientId } = recipient;
  return { organizationId, campaignId, recipientId, attempts: call.attempt, lastOutcome: outcome, ...step };
}
