import { isFinalCampaignStatus, type CampaignStatus } from './campaign-state.ts';
import type { DialingSchedule } from './dialing-schedule.ts';
import type { Outcome } from './outcome.ts';
import { decideRetry, type FinishReason, type RetryPolicy } from './retry-policy.ts';

export interface CampaignRules {
  status: CampaignStatus;
  schedule: DialingSchedule;
  policy: RetryPolicy;
}

/** The last call of a recipient that exists, after its end. */
export interface LastCall {
  /** From 1, over all rounds. */
  attempt: number;
  /** The round in which it was dialed, and its number in that round; both from 1. */
  round: number;
  roundAttempt: number;
  gatedAt: Date;
  /** When its outcome became known, or was corrected. */
  endedAt: Date;
  outcome: Outcome;
}

export interface StepCase {
  rules: CampaignRules;
  recipient: {
    callingKey: string;
    /** The recipient was taken off the list. */
    withdrawn: boolean;
    /** When its very first attempt was dialed. */
    firstAttemptAt: Date | null;
    /** The round that a caller requested, if the recipient stands in it. */
    requestedRound: number | null;
  };
  last: LastCall;
}

/** The next step of a recipient: a further attempt, or an end with its reason. */
export type RecipientStep = { round: number; roundAttempts: number } & (
  | { state: 'pending'; nextAttemptAt: Date; finishReason: null }
  | { state: 'done' | 'withdrawn'; nextAttemptAt: null; finishReason: FinishReason }
);

/**
 * The only decision about a recipient that has been called: after a call ended, after an end was corrected, after a later attempt was undone,
 * after rules changed, and when a number returns. A pause does not affect it: recipients that become due wait until the campaign runs
 * again. After a cancel or the end there are no call-backs. A requested round that no call has used takes place under any policy, unless the
 * person turns out to have been reached.
 */
export function decideStep({ rules, recipient, last }: StepCase): RecipientStep {
  const { policy, schedule, status } = rules;
  const here = { round: last.round, roundAttempts: last.roundAttempt };
  const finish = (finishReason: FinishReason): RecipientStep => ({
    ...here,
    state: recipient.withdrawn ? 'withdrawn' : 'done',
    nextAttemptAt: null,
    finishReason,
  });
  const decision = decideRetry({
    policy,
    schedule,
    zone: recipient.callingKey,
    history: {
      attempts: last.attempt,
      round: last.round,
      roundAttempts: last.roundAttempt,
      attemptedAt: last.gatedAt,
      firstAttemptAt: recipient.firstAttemptAt ?? last.gatedAt,
    },
    outcome: last.outcome,
    endedAt: last.endedAt,
  });
  if (decision.kind === 'reached') return finish('reached');
  const { requestedRound } = recipient;
  const unused =
    requestedRound !== null && requestedRound > last.round
      ? { round: requestedRound, roundAttempts: 0 }
      : null;
  // It takes place if the number returns.
  if (recipient.withdrawn) return { ...finish('withdrawn'), ...unused };
  const isOver = isFinalCampaignStatus(status);
  if (unused !== null && !isOver) {
    return { ...unused, state: 'pending', nextAttemptAt: last.endedAt, finishReason: null };
  }
  if (decision.kind === 'give_up') return finish(decision.reason);
  if (isOver) return finish('campaign_ended');
  const goesOn = { state: 'pending', nextAttemptAt: decision.at, finishReason: null } as const;
  if (decision.kind === 'retry_at') return { ...here, ...goesOn };
  return { ...goesOn, round: decision.round, roundAttempts: 0 };
}
