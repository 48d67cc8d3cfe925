import type { DialingSchedule } from './dialing-schedule.ts';
import { dialingWindow, nextRoundOpening, windowDateOf } from './dialing-window.ts';
import type { Outcome } from './outcome.ts';
import { retryDelay, type DelayRule } from './retry-delay.ts';

/** The part of a campaign's config that decides about further attempts (docs/behaviour.md). */
export interface RetryPolicy extends DelayRule {
  /** Further attempts in a round, after its first one. */
  callBackAttempts: number;
  retryOn: readonly Outcome[];
  /** Whether a recipient not reached in a round gets another one on the next day. */
  queueAgain: boolean;
  /** Over all rounds; null for no limit. */
  maxAttemptsPerRecipient: number | null;
}

/** The number of rounds of a campaign without `end_date`, which would otherwise never end. */
export const openEndedRoundLimit = 10;

export interface RecipientHistory {
  /** Over all rounds, this one included. */
  attempts: number;
  /** From 1. */
  round: number;
  /** In this round, this one included. */
  roundAttempts: number;
  attemptedAt: Date;
  /** When the recipient's very first attempt was dialed. */
  firstAttemptAt: Date;
}

export type RetryDecision =
  | { kind: 'reached' }
  | { kind: 'retry_at'; at: Date }
  | { kind: 'next_round'; at: Date; round: number }
  | { kind: 'give_up'; reason: GiveUpReason };

export type GiveUpReason =
  | 'not_retryable'
  | 'attempts_used'
  | 'rounds_used'
  | 'max_attempts'
  /** No window opens before the end of the campaign. */
  | 'campaign_over';

/** Why a recipient gets no further attempt. */
export type FinishReason =
  | 'reached'
  | GiveUpReason
  /** The campaign was finished or canceled. */
  | 'campaign_ended'
  | 'withdrawn'
  | 'suppressed'
  /** The campaign requires a consent, and none was in force. */
  | 'no_consent'
  /** The number is on a scrub list that the campaign names. */
  | 'on_scrub_list';

interface RetryCase {
  policy: RetryPolicy;
  schedule: DialingSchedule;
  zone: string;
  history: RecipientHistory;
  outcome: Outcome;
  /** When the outcome became known. */
  endedAt: Date;
  /** Computes windows. A forecast, which asks a million times, passes an implementation with a cache. */
  windows?: WindowRules;
}

export interface WindowRules {
  dialingWindow: typeof dialingWindow;
  nextRoundOpening: typeof nextRoundOpening;
  windowDateOf: typeof windowDateOf;
}

const windowRules: WindowRules = { dialingWindow, nextRoundOpening, windowDateOf };

/** Whether an outcome means that the person was not reached, and may be called again. */
export function isRetryable({ retryOn }: RetryPolicy, outcome: Outcome): boolean {
  return outcome !== 'completed' && retryOn.includes(outcome);
}

/**
 * Decides the next step of a recipient from the end of its last attempt. The result depends only on past calls and on the rules in force, so it can
 * be computed again whenever the rules change; earlier plans do not count.
 */
export function decideRetry(args: RetryCase): RetryDecision {
  const { policy, history, outcome } = args;
  if (outcome === 'completed') return { kind: 'reached' };
  if (!isRetryable(policy, outcome)) return { kind: 'give_up', reason: 'not_retryable' };
  if (policy.maxAttemptsPerRecipient !== null && history.attempts >= policy.maxAttemptsPerRecipient) {
    return { kind: 'give_up', reason: 'max_attempts' };
  }
  if (history.roundAttempts <= policy.callBackAttempts) return decideCallBack(args);
  if (!policy.queueAgain) return { kind: 'give_up', reason: 'attempts_used' };
  return decideNextRound(args, args.endedAt);
}

/**
 * The delay counts from the end of the call, not from the dial, so that a long ring or a late report does not shorten it. The instant is stored
 * unchanged: windows are checked when it arrives, by the schedule at that time. If the campaign queues again and the instant falls on another day, it
 * is not a call-back but the start of that day's round.
 */
function decideCallBack(args: RetryCase): RetryDecision {
  const { policy, schedule, zone, history, outcome, endedAt, windows = windowRules } = args;
  const at = new Date(endedAt.getTime() + retryDelay(policy, outcome, history.roundAttempts) * 1000);
  const window = windows.dialingWindow(schedule, zone, at);
  if (window.kind === 'over') return { kind: 'give_up', reason: 'campaign_over' };
  if (policy.queueAgain) {
    const date =
      window.kind === 'open' ? window.localDate : windows.windowDateOf(schedule, zone, window.opensAt);
    if (date > windows.windowDateOf(schedule, zone, history.attemptedAt)) return decideNextRound(args, at);
  }
  return { kind: 'retry_at', at };
}

function decideNextRound(
  { schedule, zone, history, windows = windowRules }: RetryCase,
  from: Date,
): RetryDecision {
  if (schedule.endAt === null && history.round >= openEndedRoundLimit) {
    return { kind: 'give_up', reason: 'rounds_used' };
  }
  const opening = windows.nextRoundOpening(
    schedule,
    zone,
    {
      roundDate: windows.windowDateOf(schedule, zone, history.attemptedAt),
      firstAttemptAt: history.firstAttemptAt,
    },
    from,
  );
  if (opening.kind === 'over') return { kind: 'give_up', reason: 'campaign_over' };
  return { kind: 'next_round', at: opening.at, round: history.round + 1 };
}
