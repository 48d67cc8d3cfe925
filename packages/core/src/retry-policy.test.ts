import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dialingWindow, type DialingSchedule, windowDateOf } from './dialing-window.ts';
import { type Outcome, outcomes } from './outcome.ts';
import { decideRetry, openEndedRoundLimit, type RecipientHistory, type RetryPolicy } from './retry-policy.ts';
import { retryDelay } from './retry-delay.ts';
import { singleAttempt } from './retry-policy.fixture.ts';

const zone = 'Europe/Berlin';
/** A Monday, 10:00 in Berlin. */
const monday = new Date('2026-05-04T08:00:00.000Z');
const schedule: DialingSchedule = {
  startAt: new Date('2026-05-01T00:00:00.000Z'),
  endAt: new Date('2026-06-01T00:00:00.000Z'),
  startTime: '09:00',
  endTime: '17:00',
  callOnWeekend: false,
  timezone: zone,
};
const first: RecipientHistory = {
  attempts: 1,
  round: 1,
  roundAttempts: 1,
  attemptedAt: monday,
  firstAttemptAt: monday,
};

function decide(
  changes: {
    policy?: Partial<RetryPolicy>;
    schedule?: Partial<DialingSchedule>;
    history?: Partial<RecipientHistory>;
    outcome?: Outcome;
    endedAt?: Date;
  } = {},
) {
  const history = { ...first, ...changes.history };
  return decideRetry({
    policy: { ...singleAttempt, ...changes.policy },
    schedule: { ...schedule, ...changes.schedule },
    zone,
    history,
    outcome: changes.outcome ?? 'no_answer',
    endedAt: changes.endedAt ?? history.attemptedAt,
  });
}

describe('decideRetry', () => {
  test('is done with a recipient who was reached', () => {
    expect(decide({ outcome: 'completed', policy: { callBackAttempts: 3, queueAgain: true } })).toEqual({
      kind: 'reached',
    });
  });

  test.each(['rejected', 'invalid_number', 'canceled', 'unknown'] as const)(
    'gives up after %s',
    (outcome) => {
      expect(decide({ outcome, policy: { callBackAttempts: 3, queueAgain: true } })).toEqual({
        kind: 'give_up',
        reason: 'not_retryable',
      });
    },
  );

  test('calls back after unknown if the campaign lists it', () => {
    const policy = { callBackAttempts: 1, retryOn: ['unknown'] as const };
    expect(decide({ outcome: 'unknown', policy }).kind).toBe('retry_at');
  });

  test('gives up after one attempt without call-backs', () => {
    expect(decide()).toEqual({ kind: 'give_up', reason: 'attempts_used' });
  });

  test('calls back N times in a round, the delay after the outcome was known', () => {
    const policy = { callBackAttempts: 2, retryDelaySeconds: 60 };
    const endedAt = new Date(monday.getTime() + 30_000);
    const at = new Date(endedAt.getTime() + 60_000);
    expect(decide({ policy, endedAt })).toEqual({ kind: 'retry_at', at });
    expect(decide({ policy, endedAt, history: { attempts: 2, roundAttempts: 2 } })).toEqual({
      kind: 'retry_at',
      at,
    });
    expect(decide({ policy, endedAt, history: { attempts: 3, roundAttempts: 3 } })).toEqual({
      kind: 'give_up',
      reason: 'attempts_used',
    });
  });

  test('plans a call-back regardless of windows, which count when it is due', () => {
    const policy = { callBackAttempts: 1 };
    // Friday 16:50; the next opening is on Monday, or on Saturday if weekends are allowed by then.
    const attemptedAt = new Date('2026-05-08T14:50:00.000Z');
    expect(decide({ policy, history: { attemptedAt } })).toEqual({
      kind: 'retry_at',
      at: new Date('2026-05-08T15:05:00.000Z'),
    });
  });

  describe('a call-back on another day', () => {
    const short = { startTime: '09:00', endTime: '09:30' };
    const policy = { callBackAttempts: 2, retryDelaySeconds: 3600 };
    const attemptedAt = new Date('2026-05-04T07:10:00.000Z');

    test('begins that day’s round if the campaign queues again', () => {
      const queuing = { ...policy, queueAgain: true };
      expect(decide({ policy: queuing, schedule: short, history: { attemptedAt } })).toEqual({
        kind: 'next_round',
        at: new Date('2026-05-05T07:00:00.000Z'),
        round: 2,
      });
    });

    test('begins no earlier than the delay is over', () => {
      const queuing = { ...policy, queueAgain: true, retryDelaySeconds: 86_400 };
      expect(decide({ policy: queuing, schedule: short, history: { attemptedAt } })).toEqual({
        kind: 'next_round',
        at: new Date('2026-05-05T07:10:00.000Z'),
        round: 2,
      });
    });

    test('opens at the time of the very first attempt if the window is all day', () => {
      const queuing = { ...policy, queueAgain: true };
      const history = { attemptedAt: new Date('2026-05-04T21:30:00.000Z') };
      expect(
        decide({ policy: queuing, schedule: { startTime: '00:00', endTime: '23:59' }, history }),
      ).toEqual({ kind: 'next_round', at: new Date('2026-05-05T08:00:00.000Z'), round: 2 });
    });

    test('stays a call-back of its round if the campaign does not queue again', () => {
      expect(decide({ policy, schedule: short, history: { attemptedAt } })).toEqual({
        kind: 'retry_at',
        at: new Date('2026-05-04T08:10:00.000Z'),
      });
    });
  });

  test('gives up if the campaign ends before the call-back', () => {
    const endAt = new Date(monday.getTime() + 900_000);
    expect(decide({ policy: { callBackAttempts: 1 }, schedule: { endAt } })).toEqual({
      kind: 'give_up',
      reason: 'campaign_over',
    });
  });

  test('stops at the maximum of attempts, even if the round allows more', () => {
    const policy = { callBackAttempts: 5, queueAgain: true, maxAttemptsPerRecipient: 3 };
    expect(decide({ policy, history: { attempts: 2, roundAttempts: 2 } }).kind).toBe('retry_at');
    expect(decide({ policy, history: { attempts: 3, roundAttempts: 3 } })).toEqual({
      kind: 'give_up',
      reason: 'max_attempts',
    });
  });

  test('queues again for the next day once the round is used', () => {
    expect(decide({ policy: { queueAgain: true } })).toEqual({
      kind: 'next_round',
      at: new Date('2026-05-05T07:00:00.000Z'),
      round: 2,
    });
  });

  test('counts attempts from one again in each round', () => {
    const policy = { callBackAttempts: 1, queueAgain: true };
    const history = { attempts: 3, round: 2, roundAttempts: 1 };
    expect(decide({ policy, history }).kind).toBe('retry_at');
    expect(decide({ policy, history: { ...history, attempts: 4, roundAttempts: 2 } })).toMatchObject({
      kind: 'next_round',
      round: 3,
    });
  });

  test('opens a round of an all-day campaign at the time of the very first attempt', () => {
    const history = { round: 2, attemptedAt: new Date('2026-05-05T20:00:00.000Z') };
    expect(
      decide({ policy: { queueAgain: true }, schedule: { startTime: '00:00', endTime: '24:00' }, history }),
    ).toEqual({
      kind: 'next_round',
      at: new Date('2026-05-06T08:00:00.000Z'),
      round: 3,
    });
  });

  test('counts the night of a window across midnight as one day', () => {
    // Tuesday 01:00 belongs to Monday's window, so the next round is Tuesday night's.
    const attemptedAt = new Date('2026-05-04T23:00:00.000Z');
    const nightly = { startTime: '22:00', endTime: '02:00' };
    expect(
      decide({ policy: { queueAgain: true }, schedule: nightly, history: { attemptedAt } }),
    ).toMatchObject({
      kind: 'next_round',
      at: new Date('2026-05-05T20:00:00.000Z'),
    });
  });

  test('limits only open-ended campaigns to ten rounds', () => {
    const history = { round: openEndedRoundLimit };
    expect(decide({ policy: { queueAgain: true }, schedule: { endAt: null }, history })).toEqual({
      kind: 'give_up',
      reason: 'rounds_used',
    });
    expect(
      decide({ policy: { queueAgain: true }, schedule: { endAt: null }, history: { round: 9 } }),
    ).toMatchObject({ kind: 'next_round', round: 10 });
    expect(decide({ policy: { queueAgain: true }, history })).toMatchObject({
      kind: 'next_round',
      round: 11,
    });
  });

  test('gives up if no day is left for another round', () => {
    const endAt = new Date('2026-05-05T07:00:00.000Z');
    expect(decide({ policy: { queueAgain: true }, schedule: { endAt } })).toEqual({
      kind: 'give_up',
      reason: 'campaign_over',
    });
  });

  test('opens every round at an open instant, and ends every recipient within the attempts that the policy allows', () => {
    const time = fc
      .tuple(fc.nat(23), fc.nat(59))
      .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`);
    fc.assert(
      fc.property(
        fc.record({
          callBackAttempts: fc.nat(3),
          retryDelaySeconds: fc.integer({ min: 0, max: 90_000 }),
          retryDelaysSeconds: fc.option(
            fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 1, maxLength: 4 }),
            { nil: null },
          ),
          retryOn: fc.subarray([...outcomes]),
          queueAgain: fc.boolean(),
          maxAttemptsPerRecipient: fc.option(fc.integer({ min: 1, max: 20 }), { nil: null }),
        }),
        fc.record({ startTime: time, endTime: time, callOnWeekend: fc.boolean() }),
        fc.constantFrom(zone, 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Auckland'),
        fc.array(fc.constantFrom(...outcomes.slice(1, 6)), { minLength: 1, maxLength: 40 }),
        (policy, hours, place, results) => {
          const open: DialingSchedule = { ...schedule, endAt: null, ...hours };
          const opening = dialingWindow(open, place, monday);
          let at = opening.kind === 'closed' ? opening.opensAt : monday;
          const firstAttemptAt = at;
          let history: RecipientHistory = {
            attempts: 1,
            round: 1,
            roundAttempts: 1,
            attemptedAt: at,
            firstAttemptAt,
          };
          for (;;) {
            const outcome = results[history.attempts % results.length] ?? 'busy';
            const decision = decideRetry({
              policy,
              schedule: open,
              zone: place,
              history,
              outcome,
              endedAt: at,
            });
            if (decision.kind === 'give_up' || decision.kind === 'reached') break;
            const isNewRound = decision.kind === 'next_round';
            const delayMs = isNewRound ? 0 : retryDelay(policy, outcome, history.roundAttempts) * 1000;
            const window = dialingWindow(open, place, decision.at);
            expect(window.kind).not.toBe('over');
            expect(window.kind === 'open' || !isNewRound).toBe(true);
            expect(decision.at.getTime()).toBeGreaterThanOrEqual(at.getTime() + delayMs);
            const isLaterDay = windowDateOf(open, place, decision.at) > windowDateOf(open, place, at);
            expect(isLaterDay || !isNewRound).toBe(true);
            at = window.kind === 'closed' ? window.opensAt : decision.at;
            history = {
              ...history,
              attempts: history.attempts + 1,
              round: isNewRound ? decision.round : history.round,
              roundAttempts: isNewRound ? 1 : history.roundAttempts + 1,
              attemptedAt: at,
            };
            const rounds = policy.queueAgain ? openEndedRoundLimit : 1;
            const limit = policy.maxAttemptsPerRecipient ?? Number.POSITIVE_INFINITY;
            expect(history.attempts).toBeLessThanOrEqual(limit);
            expect(history.attempts).toBeLessThanOrEqual(rounds * (policy.callBackAttempts + 1));
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
