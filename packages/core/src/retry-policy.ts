import type { DialingSchedule } from './dialing-schedule.ts';
import { dialingWindow, nextRoundOpening, windowDateOf } from './dialing-window.ts';
import type { Outcome } from './outcome.ts';

/** The campaign config, as far as it decides on further attempts (design section 4, "Campaign config"). */
export interface RetryPolicy {
  /** Further attempts in one round, after its first. */
  callBackAttempts: number;
  retryDelaySeconds: number;
  /** The outcomes after which a recipient counts as not reached. */
  retryOn: readonly Outcome[];
  /** Whether a recipient not reached in a round gets another one on the next day. */
  queueAgain: boolean;
  /** Over all rounds; null: no limit of its own. */
  maxAttemptsPerRecipient: number | null;
}

/** `unknown` is left out: that person may have been reached. */
export const defaultRetryPolicy: RetryPolicy = {
  callBackAttempts: 0,
  retryDelaySeconds: 900,
  retryOn: ['no_answer', 'busy', 'failed', 'voicemail'],
  queueAgain: false,
  maxAttemptsPerRecipient: null,
};

/** Rounds of a campaign without `end_date`, which would else call for ever. */
export const openEndedRoundLimit = 10;

export interface RecipientHistory {
  /** Over all rounds, this one included. */
  attempts: number;
  /** From 1. */
  round: number;
  /** In this round, this one included. */
  roundAttempts: number;
  /** When this attempt was dialed. */
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
  | 'suppressed';

interface RetryCase {
  policy: RetryPolicy;
  schedule: DialingSchedule;
  /** The recipient's zone. */
  zone: string;
  history: RecipientHistory;
  outcome: Outcome;
  /** When the outcome became known. */
  now: Date;
}

/** What follows for a recipient from how an attempt ended. */
export function decideRetry(args: RetryCase): RetryDecision {
  const { policy, history, outcome } = args;
  if (outcome === 'completed') return { kind: 'reached' };
  if (!policy.retryOn.includes(outcome)) return { kind: 'give_up', reason: 'not_retryable' };
  if (policy.maxAttemptsPerRecipient !== null && history.attempts >= policy.maxAttemptsPerRecipient) {
    return { kind: 'give_up', reason: 'max_attempts' };
  }
  if (history.roundAttempts <= policy.callBackAttempts) return decideCallBack(args);
  if (!policy.queueAgain) return { kind: 'give_up', reason: 'attempts_used' };
  return decideNextRound(args);
}

/**
 * The delay counts from `now` and not from the dial, so that a person is left in peace for all of it after a long ring or a late
 * report. A call-back that the window moves to a later day stays in its round.
 */
function decideCallBack({ policy, schedule, zone, now }: RetryCase): RetryDecision {
  const at = new Date(now.getTime() + policy.retryDelaySeconds * 1000);
  const window = dialingWindow(schedule, zone, at);
  if (window.kind === 'over') return { kind: 'give_up', reason: 'campaign_over' };
  return { kind: 'retry_at', at: window.kind === 'open' ? at : window.opensAt };
}

function decideNextRound({ schedule, zone, history, now }: RetryCase): RetryDecision {
  if (schedule.endAt === null && history.round >= openEndedRoundLimit) {
    return { kind: 'give_up', reason: 'rounds_used' };
  }
  const opening = nextRoundOpening(
    schedule,
    zone,
    {
      roundDate: windowDateOf(schedule, zone, history.attemptedAt),
      firstAttemptAt: history.firstAttemptAt,
    },
    now,
  );
  if (opening.kind === 'over') return { kind: 'give_up', reason: 'campaign_over' };
  return { kind: 'next_round', at: opening.at, round: history.round + 1 };
}
