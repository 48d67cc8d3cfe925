import { describe, expect, test } from 'vitest';
import type { CampaignStatus } from './campaign-state.ts';
import { dialingWindow, type DialingSchedule } from './dialing-window.ts';
import { parseInstant } from './instant.ts';
import { nextDial } from './next-dial.ts';
import { decideStep, type LastCall } from './recipient-step.ts';
import { singleAttempt } from './retry-policy.fixture.ts';
import { openEndedRoundLimit, type RetryPolicy } from './retry-policy.ts';

/** The examples of docs/behaviour.md, sections "Call-backs and rounds" to "Windows and clocks". */
const zone = 'America/New_York';
const at = (local: string) => {
  const parsed = parseInstant(`2027-${local}`, { zone, bound: 'start' });
  if (parsed.kind === 'invalid') throw new Error(`${local}: ${parsed.reason}`);
  return parsed.at;
};
const office: DialingSchedule = {
  startAt: at('03-01'),
  endAt: null,
  startTime: '09:00',
  endTime: '17:00',
  callOnWeekend: false,
  timezone: zone,
};

interface Example {
  policy?: Partial<RetryPolicy>;
  schedule?: Partial<DialingSchedule>;
  last?: Partial<LastCall>;
  status?: CampaignStatus;
  timezone?: string;
  requestedRound?: number;
}

/** The next step of a recipient that was called on Tuesday, 2 March, at 10:00, and was busy. */
function after(example: Example) {
  const endedAt = example.last?.endedAt ?? at('03-02T10:00');
  const last = { attempt: 1, round: 1, roundAttempt: 1, gatedAt: endedAt, outcome: 'busy' as const };
  return decideStep({
    rules: {
      status: example.status ?? 'running',
      schedule: { ...office, ...example.schedule },
      policy: { ...singleAttempt, ...example.policy },
    },
    recipient: {
      callingKey: example.timezone ?? zone,
      withdrawn: false,
      firstAttemptAt: last.gatedAt,
      requestedRound: example.requestedRound ?? null,
    },
    last: { ...last, endedAt, ...example.last },
  });
}

const round = (number: number, nextAttemptAt: Date) => ({
  state: 'pending',
  round: number,
  roundAttempts: 0,
  nextAttemptAt,
  finishReason: null,
});
const callBack = (roundAttempts: number, nextAttemptAt: Date) => ({
  state: 'pending',
  round: 1,
  roundAttempts,
  nextAttemptAt,
  finishReason: null,
});
const done = (finishReason: string) => ({ state: 'done', nextAttemptAt: null, finishReason });
const wednesday = at('03-03T09:00');

describe('call-backs', () => {
  const due = at('03-05T17:05');
  const friday = {
    policy: { callBackAttempts: 1 },
    last: { gatedAt: at('03-05T16:49'), endedAt: at('03-05T16:50') },
  };

  test('stay due at their instant, and are dialed at the next opening', () => {
    expect(after(friday)).toEqual(callBack(1, due));
    expect(after({ ...friday, status: 'paused' })).toEqual(callBack(1, due));
    expect(after({ ...friday, status: 'canceled' })).toMatchObject(done('campaign_ended'));
    expect(dialingWindow(office, zone, due)).toMatchObject({ opensAt: at('03-08T09:00') });
    const withWeekends = { ...office, callOnWeekend: true };
    expect(dialingWindow(withWeekends, zone, at('03-06T08:00'))).toMatchObject({
      opensAt: at('03-06T09:00'),
    });
  });

  test('make the campaign wait for the delay if nothing else is due', () => {
    const waitingFor = (dueAt: Date, now: Date) => nextDial(office, [{ zone, dueAt }], now);
    expect(waitingFor(due, at('03-05T17:10'))).toMatchObject({ waitingFor: 'window' });
    expect(waitingFor(at('03-05T10:15'), at('03-05T10:01'))).toMatchObject({ waitingFor: 'retry' });
  });

  test("that fall on another day begin that day's round if the campaign queues again, and are call-backs otherwise", () => {
    const schedule = { startTime: '09:00', endTime: '09:30' };
    const short = (day: string, roundAttempt: number, queueAgain: boolean) =>
      after({
        schedule,
        policy: { callBackAttempts: 2, retryDelaySeconds: 3_600, queueAgain },
        last: { roundAttempt, gatedAt: at(`${day}T09:00`), endedAt: at(`${day}T09:01`) },
      });
    expect(short('03-02', 1, true)).toEqual(round(2, wednesday));
    for (const [day, roundAttempt, nextDay] of [
      ['03-02', 1, '03-03'],
      ['03-03', 2, '03-04'],
    ] as const) {
      const stored = at(`${day}T10:01`);
      expect(short(day, roundAttempt, false)).toEqual(callBack(roundAttempt, stored));
      const opensAt = at(`${nextDay}T09:00`);
      expect(dialingWindow({ ...office, ...schedule }, zone, stored)).toMatchObject({ opensAt });
    }
    expect(short('03-04', 3, false)).toMatchObject(done('attempts_used'));
  });
});

describe('rounds', () => {
  const policy = { queueAgain: true };

  test('open with the next day that may dial', () => {
    expect(after({ policy, last: { endedAt: at('03-05T10:00') } })).toEqual(round(2, at('03-08T09:00')));
  });

  test.each([
    ['00:00', '24:00'],
    ['00:00', '23:59'],
    ['10:00', '10:00'],
  ])('of all day, %s to %s, open at the time of the first attempt', (startTime, endTime) => {
    expect(after({ policy, schedule: { startTime, endTime } })).toEqual(round(2, at('03-03T10:00')));
  });

  test('of all day open after the gap if their time is skipped, and in the first of two hours that are alike', () => {
    const schedule = { startTime: '00:00', endTime: '24:00', callOnWeekend: true };
    const called = (endedAt: Date) => after({ policy, schedule, last: { gatedAt: endedAt, endedAt } });
    expect(called(at('03-13T02:30'))).toEqual(round(2, at('03-14T03:00')));
    expect(called(at('11-06T01:30'))).toEqual(round(2, new Date('2027-11-07T01:30:00-04:00')));
  });

  test('end after ten rounds without an end date, or if no window opens before it', () => {
    expect(openEndedRoundLimit).toBe(10);
    expect(after({ policy, last: { round: 10 } })).toMatchObject(done('rounds_used'));
    const schedule = { endAt: at('03-05T18:00') };
    expect(after({ policy, schedule, last: { endedAt: at('03-05T10:00') } })).toMatchObject(
      done('campaign_over'),
    );
  });

  test('that were requested take place under any policy, unless the person was reached', () => {
    const asked = { policy: { retryOn: ['busy'] as const, maxAttemptsPerRecipient: 1 }, requestedRound: 2 };
    expect(after({ ...asked, last: { outcome: 'no_answer' } })).toEqual(round(2, at('03-02T10:00')));
    expect(after({ ...asked, last: { outcome: 'completed' } })).toMatchObject(done('reached'));
  });
});

describe('changes', () => {
  test.each<[string, Example, object]>([
    ['an outcome that is not named', { last: { outcome: 'rejected' } }, done('not_retryable')],
    ['fewer call-backs', { policy: { callBackAttempts: 0 } }, done('attempts_used')],
    [
      'fewer call-backs, with rounds',
      { policy: { callBackAttempts: 0, queueAgain: true } },
      round(2, wednesday),
    ],
    [
      'another zone',
      {
        policy: { queueAgain: true },
        schedule: { timezone: 'Europe/Berlin' },
        timezone: 'Europe/Berlin',
      },
      round(2, new Date('2027-03-03T09:00:00+01:00')),
    ],
    [
      'an end on Tuesday',
      { policy: { queueAgain: true }, schedule: { endAt: at('03-03') } },
      done('campaign_over'),
    ],
    [
      'an end on Friday',
      { policy: { queueAgain: true }, schedule: { endAt: at('03-06') } },
      round(2, wednesday),
    ],
  ])('%s', (_what, example, expected) => {
    expect(after(example)).toMatchObject(expected);
  });
});

test('the window of the last date finishes, and no other opens', () => {
  const nights = { ...office, startTime: '22:00', endTime: '02:00', endAt: at('03-05T02:00') };
  expect(dialingWindow(nights, zone, at('03-05T01:59'))).toMatchObject({
    kind: 'open',
    localDate: '2027-03-04',
  });
  expect(dialingWindow(nights, zone, at('03-05T02:00'))).toEqual({ kind: 'over' });
});

test('on Friday evening no opening is left before Sunday', () => {
  const now = at('03-05T18:00');
  expect(nextDial({ ...office, endAt: at('03-08') }, [{ zone, dueAt: now }], now)).toMatchObject({
    kind: 'never',
  });
});

test('a skipped start opens after the gap, and an hour that occurs twice is open twice', () => {
  const every = { ...office, callOnWeekend: true };
  const gap = { ...every, startTime: '02:30', endTime: '04:00' };
  expect(dialingWindow(gap, zone, at('03-14T01:00'))).toMatchObject({ opensAt: at('03-14T03:00') });
  const twice = dialingWindow({ ...every, startTime: '01:00', endTime: '02:00' }, zone, at('11-07T01:30'));
  expect(twice).toMatchObject({
    opensAt: new Date('2027-11-07T01:00:00-04:00'),
    closesAt: new Date('2027-11-07T02:00:00-05:00'),
  });
});
