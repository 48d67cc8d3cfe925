import { decideRetry, type Outcome } from '@outdial/core';
import type { LockedCall, LockedRecipient, RecipientChange, RetryDefinition } from '@outdial/db';

/**
 * What becomes of a recipient whose attempt has ended. Null where the attempt no longer decides it: a later one has begun.
 * Retries belong to a running campaign only; after a pause, a cancel or the end a recipient is finished by how its call ended
 * (design section 4, "Campaign states").
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
  const done: RecipientChange = {
    organizationId: recipient.organizationId,
    campaignId: recipient.campaignId,
    recipientId: recipient.id,
    state: recipient.withdrawn ? 'withdrawn' : 'done',
    lastOutcome: outcome,
    nextAttemptAt: null,
    round: recipient.round,
    roundAttempts: recipient.roundAttempts,
  };
  if (recipient.withdrawn || definition.status !== 'running') return done;
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
  switch (decision.kind) {
    case 'reached':
    case 'give_up':
      return done;
    case 'retry_at':
      return { ...done, state: 'pending', nextAttemptAt: decision.at };
    case 'next_round':
      return {
        ...done,
        state: 'pending',
        nextAttemptAt: decision.at,
        round: decision.round,
        roundAttempts: 0,
      };
  }
}
