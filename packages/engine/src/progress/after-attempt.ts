import { decideRetry, isFinalCampaignStatus, type FinishReason, type Outcome } from '@outdial/core';
import type { LockedCall, LockedRecipient, RecipientChange, RetryDefinition } from '@outdial/db';

/**
 * What becomes of a recipient whose attempt has ended. Null where the attempt no longer decides it: a later one has begun.
 * A pause changes nothing about it: what becomes due waits until the campaign runs again. After a cancel or the end nobody is retried.
 */
export function decideAfterAttempt(
  call: LockedCall,
  recipient: LockedRecipient,
  definition: RetryDefinition,
  outcome: Outcome,
  now: Date,
): RecipientChange | null {
  const isLive = recipient.state === 'dialing' && recipient.claimId === call.id;
  // A claim is no attempt yet: the gate has not opened for it.
  const isLast =
    recipient.attempts === call.attempt && ['done', 'pending', 'claimed'].includes(recipient.state);
  if (!isLive && !isLast) return null;
  const done = (finishReason: FinishReason): RecipientChange => ({
    organizationId: recipient.organizationId,
    campaignId: recipient.campaignId,
    recipientId: recipient.id,
    state: recipient.withdrawn ? 'withdrawn' : 'done',
    finishReason,
    lastOutcome: outcome,
    nextAttemptAt: null,
    round: recipient.round,
    roundAttempts: recipient.roundAttempts,
  });
  const goesOn = (at: Date): RecipientChange => ({
    ...done('reached'),
    state: 'pending',
    finishReason: null,
    nextAttemptAt: at,
  });
  const attemptedAt = call.gatedAt ?? now;
  const decision = decideRetry({
    policy: definition.policy,
    schedule: definition.schedule,
    zone: recipient.timezone,
    history: {
      attempts: recipient.attempts,
      round: recipient.round,
      roundAttempts: recipient.roundAttempts,
      attemptedAt,
      firstAttemptAt: recipient.firstAttemptAt ?? attemptedAt,
    },
    outcome,
    now,
  });
  if (decision.kind === 'reached') return done('reached');
  if (recipient.withdrawn) return done('withdrawn');
  if (decision.kind === 'give_up') return done(decision.reason);
  if (isFinalCampaignStatus(definition.status)) return done('campaign_ended');
  if (decision.kind === 'retry_at') return goesOn(decision.at);
  return { ...goesOn(decision.at), round: decision.round, roundAttempts: 0 };
}
