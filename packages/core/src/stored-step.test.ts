import { describe, expect, test } from 'vitest';
import type { DialingSchedule } from './dialing-schedule.ts';
import { decideStoredStep, type StoredCall, type StoredRecipient } from './stored-step.ts';

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
const recipient: StoredRecipient = {
  callingKey: zone,
  withdrawn: false,
  firstAttemptAt: at('02T10:00:00'),
  attempts: 1,
  round: 1,
  roundAttempts: 1,
  requestedRound: null,
  lastOutcome: 'busy',
  nextAttemptAt: at('02T10:15:00'),
};
const call: StoredCall = {
  round: 1,
  roundAttempt: 1,
  gatedAt: at('02T10:00:00'),
  endedAt: at('02T10:00:00'),
  outcome: 'busy',
};
const deleted: StoredCall = { round: null, roundAttempt: null, gatedAt: null, endedAt: null, outcome: null };
const wednesday = { round: 2, roundAttempts: 0, nextAttemptAt: at('03T09:00:00') };

const stepOf = (differs: Partial<StoredRecipient>, stored: StoredCall) =>
  decideStoredStep(rules, { ...recipient, ...differs }, stored, now);

describe('the stored step of a recipient', () => {
  test('follows from the last call, not from the plan', () => {
    expect(stepOf(wednesday, call)).toMatchObject({ round: 1, nextAttemptAt: at('02T10:15:00') });
    expect(stepOf({}, { ...call, outcome: 'completed' })).toMatchObject({ finishReason: 'reached' });
  });

  test.each<[string, Partial<StoredRecipient>]>([
    ['a call-back', {}],
    ['a round', { ...wednesday, attempts: 2 }],
    ['a requested round', { round: 3, roundAttempts: 0, requestedRound: 3, attempts: 2 }],
  ])('stays as planned for %s if its call was deleted', (_plan, differs) => {
    const { round, roundAttempts } = { ...recipient, ...differs };
    expect(stepOf(differs, deleted)).toMatchObject({ state: 'pending', round, roundAttempts });
  });

  test('keeps the planned instant if its call was deleted', () => {
    expect(stepOf({}, deleted)).toMatchObject({ nextAttemptAt: recipient.nextAttemptAt });
    expect(stepOf({ ...wednesday, attempts: 2 }, deleted)).toMatchObject(wednesday);
  });

  test('ignores a requested round that has begun', () => {
    expect(stepOf({ round: 2, requestedRound: 2 }, { ...call, round: 2 })).toMatchObject({
      roundAttempts: 1,
    });
  });

  test('takes an outcome that is stored nowhere for unknown', () => {
    expect(stepOf({ lastOutcome: null }, deleted)).toMatchObject({
      state: 'done',
      lastOutcome: 'unknown',
      finishReason: 'not_retryable',
    });
  });
});
