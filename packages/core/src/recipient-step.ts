import { isFinalCampaignStatus, type CampaignStatus } from './campaign-state.ts';
import type { DialingSchedule } from './dialing-schedule.ts';
import type { Outcome } from './outcome.ts';
import { decideRetry, type FinishReason, type RetryPolicy } from './retry-policy.ts';

/** What of a campaign decides about its recipients. */
export interface CampaignRules {
  status: CampaignStatus;
  schedule: DialingSchedule;
  policy: RetryPolicy;
}

/** The last call of a recipient that exists, after it has ended. */
export interface LastCall {
  /** From 1, over all rounds. */
  attempt: number;
  /** The round that it was dialed in, and its number in that round; both from 1. */
  round: number;
  roundAttempt: number;
  gatedAt: Date;
  /** When its outcome became known, or was put right. */
  endedAt: Date;
  outcome: Outcome;
}

export interface StepCase {
  rules: CampaignRules;
  recipient: {
    timezone: string;
    /** It was taken off the list. */
    withdrawn: boolean;
    /** When its very first attempt was dialed. */
    firstAttemptAt: Date | null;
  };
  last: LastCall;
}

/** Where a recipient goes: on to a further attempt, or to an end, and why. */
export type RecipientStep = { round: number; roundAttempts: number } & (
  | { state: 'pending'; nextAttemptAt: Date; finishReason: null }
  | { state: 'done' | 'withdrawn'; nextAttemptAt: null; finishReason: FinishReason }
);

/**
 * The one decision about a recipient who has been called: after a call ended, after an end was put right, after a later attempt was undone,
 * after rules changed, and when a number returns. A pause changes nothing about it: what becomes due waits until the campaign runs
 * again. After a cancel or the end no one is called back.
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
    zone: recipient.timezone,
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
  if (recipient.withdrawn) return finish('withdrawn');
  if (decision.kind === 'give_up') return finish(decision.reason);
  if (isFinalCampaignStatus(status)) return finish('campaign_ended');
  const goesOn = { state: 'pending', nextAttemptAt: decision.at, finishReason: null } as const;
  if (decision.kind === 'retry_at') return { ...here, ...goesOn };
  return { ...goesOn, round: decision.round, roundAttempts: 0 };
}
