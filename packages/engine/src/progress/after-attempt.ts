import { decideStoredStep, type CampaignRules, type Outcome } from '@outdial/core';
import type { LockedCall, LockedRecipient, RecipientChange } from '@outdial/db';

/** Decides the next step of a recipient after an attempt, under the current rules. Null if a later attempt has begun. */
export function decideAfterAttempt(
  call: LockedCall,
  recipient: LockedRecipient,
  rules: CampaignRules,
  outcome: Outcome,
  now: Date,
): RecipientChange | null {
  const isLive = recipient.state === 'dialing' && recipient.callId === call.id;
  const isLast = recipient.attempts === call.attempt && ['done', 'pending'].includes(recipient.state);
  if (!isLive && !isLast) return null;
  // With the round of the call, because the recipient may be in a later one by now.
  const step = decideStoredStep(
    rules,
    { ...recipient, lastOutcome: outcome, nextAttemptAt: null },
    { ...call, endedAt: now, outcome },
    now,
  );
  const { organizationId, campaignId, id: recipientId } = recipient;
  return { organizationId, campaignId, recipientId, ...step };
}
