import { describe, expect, test } from 'vitest';
import type { DialingSchedule } from './dialing-schedule.ts';
import { decideStoredStep, type StoredStepRow } from './stored-step.ts';

const zone = 'America/New_York';
const schedule: DialingSchedule = {
  startAt: new Date('2027-03-01T00:00:00-05:00'),
  endAt: null,
  startTime: '09:00',
  endTime: '17:00',
  callOnWeekend: false,
  timezone: zone,
};
const rules = {
  status: 'running' as const,
  schedule,
  policy: {
    callBackAttempts: 1,
    retryDelaySeconds: 900,
    retryDelaysSeconds: null,
    retryOn: ['busy'] as const,
    queueAgain: true,
    maxAttemptsPerRecipient: null,
  },
};
const at = (time: string) => new Date(`2027-03-${time}-05:00`);
const now = at('03T12:00:00');

/** Called on Tuesday, 2 March, at 10:00, and busy; its call-back is due at 10:15. */
const recipient: StoredStepRow = {
  calling_key: zone,
  withdrawn_at: null,
  first_attempt_at: at('02T10:00:00'),
  attempts: 1,
  round: 1,
  round_attempts: 1,
  requested_round: null,
  last_outcome: 'busy',
  next_attempt_at: at('02T10:15:00'),
  call_round: 1,
  call_round_attempt: 1,
  call_gated_at: at('02T10:00:00'),
  call_ended_at: at('02T10:00:00'),
  call_outcome: 'busy',
};
const deleted = {
  call_round: null,
  call_round_attempt: null,
  call_gated_at: null,
  call_ended_at: null,
  call_outcome: null,
};
const wednesday = { round: 2, round_attempts: 0, next_attempt_at: at('03T09:00:00') };

const stepOf = (differs: Partial<StoredStepRow>) =>
  decideStoredStep(rules, { ...recipient, ...differs }, now);

describe('the stored step of a recipient', () => {
  test('follows from the last call, not from the plan', () => {
    expect(stepOf(wednesday)).toMatchObject({ round: 1, nextAttemptAt: at('02T10:15:00') });
    expect(stepOf({ call_outcome: 'completed' })).toMatchObject({ finishReason: 'reached' });
  });

  test.each<[string, Partial<StoredStepRow>]>([
    ['a call-back', {}],
    ['a round', { ...wednesday, attempts: 2 }],
    ['a requested round', { round: 3, round_attempts: 0, requested_round: 3, attempts: 2 }],
  ])('stays as planned for %s if its call was deleted', (_plan, differs) => {
    const { round, round_attempts: roundAttempts } = { ...recipient, ...differs };
    expect(stepOf({ ...differs, ...deleted })).toMatchObject({ state: 'pending', round, roundAttempts });
  });

  test('keeps the planned instant if its call was deleted', () => {
    expect(stepOf(deleted)).toMatchObject({ nextAttemptAt: recipient.next_attempt_at });
    expect(stepOf({ ...wednesday, attempts: 2, ...deleted })).toMatchObject({
      round: 2,
      roundAttempts: 0,
      nextAttemptAt: wednesday.next_attempt_at,
    });
  });

  test('ignores a requested round that has begun', () => {
    expect(stepOf({ round: 2, requested_round: 2, call_round: 2 })).toMatchObject({ roundAttempts: 1 });
  });

  test('takes an outcome that is stored nowhere for unknown', () => {
    expect(stepOf({ last_outcome: null, ...deleted })).toMatchObject({
      state: 'done',
      lastOutcome: 'unknown',
      finishReason: 'not_retryable',
    });
  });
});
