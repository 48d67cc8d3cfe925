import { describe, expect, test } from 'vitest';
import { singleAttempt } from '../retry-policy.fixture.ts';
import { estimateCampaignEnd, forecastCampaign } from './forecast-campaign.ts';
import { defaultRates, type OutcomeRates } from './outcome-rates.ts';
import type { ForecastCase } from './forecast-case.ts';

const nowMs = Date.parse('2027-03-02T12:00:00Z');
const minuteMs = 60_000;

/** Everyone answers and talks for a minute. */
const allAnswer: OutcomeRates = {
  from: 'organization',
  callsLookedAt: 100_000,
  rates: [{ outcome: 'completed', calls: 100_000, seconds: 60, spreadSeconds: 0 }],
};
const nobodyAnswers: OutcomeRates = {
  from: 'organization',
  callsLookedAt: 100_000,
  rates: [{ outcome: 'no_answer', calls: 100_000, seconds: 30, spreadSeconds: 0 }],
};

function campaign(change: Partial<ForecastCase> = {}, count = 600): ForecastCase {
  return {
    schedule: {
      startAt: new Date(nowMs),
      endAt: null,
      startTime: '00:00',
      endTime: '24:00',
      callOnWeekend: true,
      timezone: 'UTC',
    },
    policy: singleAttempt,
    isDebtCollection: false,
    caps: null,
    lines: 10,
    callsPerSecond: null,
    daily: [],
    callerIds: null,
    othersWait: false,
    nowMs,
    groups: [
      { key: 'UTC', count, dueMs: nowMs, attempts: 0, round: 1, roundAttempts: 0, firstAttemptMs: null },
    ],
    ...change,
  };
}

const minutesOf = (at: Date | null) => ((at?.getTime() ?? Number.NaN) - nowMs) / minuteMs;

describe('a forecast', () => {
  test('takes the length of all calls divided by the lines, if everyone answers', async () => {
    const { end, median, bottleneck, twiceTheLines } = await forecastCampaign(campaign(), allAnswer, 1);
    expect(minutesOf(end.p50)).toBeGreaterThan(58);
    expect(minutesOf(end.p50)).toBeLessThan(62);
    expect(median).toMatchObject({ dials: 600, reached: 600, neverDialed: 0 });
    expect(bottleneck?.limit).toBe('lines');
    expect(twiceTheLines.soonerSeconds).toBeGreaterThan(27 * 60);
    expect(twiceTheLines.soonerSeconds).toBeLessThan(33 * 60);
  });

  test('of a campaign that would take years stops without an end', async () => {
    const keys = Array.from({ length: 400 }, (_, index) => (index % 2 === 0 ? 'UTC' : 'Asia/Tokyo'));
    const [group] = campaign().groups;
    if (!group) throw new Error('no group');
    const groups = keys.map((key, index) => ({ ...group, key, dueMs: nowMs + index, count: 2_500 }));
    const { end } = await forecastCampaign(campaign({ groups, lines: 1 }), nobodyAnswers, 1);
    expect(end.p50).toBeNull();
  });

  test('counts call-backs with their delays', async () => {
    const policy = { ...singleAttempt, callBackAttempts: 2, retryDelaySeconds: 3600 };
    const { end, median, bottleneck } = await forecastCampaign(
      campaign({ policy, lines: 600 }),
      nobodyAnswers,
      1,
    );
    expect(median.dials).toBe(1800);
    expect(minutesOf(end.p50)).toBeGreaterThan(120);
    expect(minutesOf(end.p50)).toBeLessThan(123);
    expect(bottleneck?.limit).toBe('retry_delay');
  });

  test('follows the window of the campaign, and counts people by day and zone', async () => {
    const of = campaign({ lines: 1 }, 700);
    of.schedule = { ...of.schedule, startTime: '09:00', endTime: '17:00', callOnWeekend: false };
    const { median, end } = await forecastCampaign(of, allAnswer, 1);
    // Five hours of Tuesday, and the rest on Wednesday.
    const days = [...median.days.values()];
    expect(days.map(({ date, zone }) => `${date} ${zone}`)).toEqual(['2027-03-02 UTC', '2027-03-03 UTC']);
    expect(days[0]?.people).toBeGreaterThan(295);
    expect(days[0]?.people).toBeLessThan(305);
    expect((days[0]?.people ?? 0) + (days[1]?.people ?? 0)).toBe(700);
    expect(end.p50?.toISOString().slice(0, 13)).toBe('2027-03-03T15');
  });

  test('of a campaign whose window is closed never ends before it opens, nor later with twice the lines', async () => {
    const of = campaign({}, 3);
    of.schedule = { ...of.schedule, startTime: '14:00', endTime: '17:00' };
    for (let seed = 1; seed <= 20; seed++) {
      const { end, twiceTheLines } = await forecastCampaign(of, defaultRates, seed);
      expect(minutesOf(end.p10)).toBeGreaterThanOrEqual(120);
      expect(Number(twiceTheLines.end)).toBeLessThanOrEqual(Number(end.p50));
      expect(Number(end.p50) - Number(twiceTheLines.end)).toBeCloseTo(
        1000 * (twiceTheLines.soonerSeconds ?? Number.NaN),
        -4,
      );
    }
  });

  test('counts the recipients that are left when the campaign ends', async () => {
    const of = campaign({ lines: 1 });
    of.schedule = { ...of.schedule, endAt: new Date(nowMs + 60 * minuteMs) };
    const { median, end } = await forecastCampaign(of, allAnswer, 1);
    expect(median.neverDialed).toBeGreaterThan(535);
    expect(median.neverDialed).toBeLessThan(545);
    expect(minutesOf(end.p50)).toBe(60);
  });

  test('respects the daily quota and the pace', async () => {
    const byQuota = await forecastCampaign(
      campaign({ daily: [{ limit: 'quota', perDay: 250, leftToday: 100 }] }),
      allAnswer,
      1,
    );
    expect([...byQuota.median.days.values()].map(({ dials }) => dials)).toEqual([100, 250, 250]);
    expect(byQuota.bottleneck?.limit).toBe('quota');
    const byPace = await forecastCampaign(campaign({ callsPerSecond: 0.05, lines: 100 }), allAnswer, 1);
    expect(minutesOf(byPace.end.p50)).toBeGreaterThan(195);
    expect(minutesOf(byPace.end.p50)).toBeLessThan(205);
    expect(byPace.bottleneck?.limit).toBe('calls_per_second');
  });

  test('respects the limits of caller ids in any 24 hours', async () => {
    const hourMs = 60 * minuteMs;
    const callerIds = {
      left: 100,
      freeing: [
        { atMs: nowMs + 2 * hourMs, calls: 150 },
        { atMs: nowMs + 30 * hourMs, calls: 50 },
      ],
    };
    const { median, end, bottleneck } = await forecastCampaign(
      campaign({ callerIds, lines: 600 }),
      allAnswer,
      1,
    );
    // 100 at once and 150 in two hours, as many a day later, 50 more at the end of a rest, and the last 50 on the third day.
    expect([...median.days.values()].map(({ dials }) => dials)).toEqual([250, 300, 50]);
    expect(minutesOf(end.p50)).toBeGreaterThanOrEqual(48 * 60);
    expect(minutesOf(end.p50)).toBeLessThan(49 * 60);
    expect(bottleneck?.limit).toBe('caller_id');
  });

  test('has no end without a caller id', async () => {
    const { median, end } = await forecastCampaign(
      campaign({ callerIds: { left: 0, freeing: [] } }),
      allAnswer,
      1,
    );
    expect(end).toEqual({ p10: null, p50: null, p90: null });
    // They are not given up: they are called once there is one.
    expect(median).toMatchObject({ dials: 0, neverDialed: 0 });
  });

  test('respects caps per person', async () => {
    const policy = { ...singleAttempt, callBackAttempts: 3, retryDelaySeconds: 600 };
    const caps = { calls: [{ calls: 2, hours: 24 }], gap_seconds: null, after_conversation_hours: null };
    const { end, bottleneck } = await forecastCampaign(
      campaign({ policy, caps, lines: 600 }),
      nobodyAnswers,
      1,
    );
    expect(minutesOf(end.p50)).toBeGreaterThan(24 * 60);
    expect(minutesOf(end.p50)).toBeLessThan(24 * 60 + 15);
    expect(bottleneck?.limit).toBe('person_cap');
  });

  test('is the same for a seed, and its interval contains the median', async () => {
    const policy = { ...singleAttempt, callBackAttempts: 2 };
    const one = await forecastCampaign(campaign({ policy }), defaultRates, 7);
    expect(await forecastCampaign(campaign({ policy }), defaultRates, 7)).toEqual(one);
    expect((await forecastCampaign(campaign({ policy }), defaultRates, 8)).end).not.toEqual(one.end);
    expect(Number(one.end.p10)).toBeLessThan(Number(one.end.p50));
    expect(Number(one.end.p50)).toBeLessThan(Number(one.end.p90));
  });
});

describe('an estimate', () => {
  const groups = (count: number, each: number) =>
    Array.from({ length: count }, (_, index) => ({
      key: 'UTC' as const,
      count: each,
      dueMs: nowMs + index,
      attempts: 0,
      round: 1,
      roundAttempts: 0,
      firstAttemptMs: null,
    }));

  test('is the median end of few runs', async () => {
    const end = await estimateCampaignEnd(campaign(), allAnswer, 1, () => Promise.resolve());
    expect(minutesOf(end)).toBeGreaterThan(58);
    expect(minutesOf(end)).toBeLessThan(62);
  });

  test('uses as many runs as fit, and stops if not even one does', async () => {
    const runsOf = async (count: number) => {
      let runs = 0;
      const of = campaign({ lines: 1_000, groups: groups(count, 1) });
      const end = await estimateCampaignEnd(of, allAnswer, 1, async () => void runs++);
      return { runs, isTold: end !== null };
    };
    expect(await runsOf(1_000)).toEqual({ runs: 5, isTold: true });
    const long = await runsOf(15_000);
    expect(long.isTold).toBe(true);
    expect(long.runs).toBeLessThan(3);
    expect(await runsOf(45_000)).toEqual({ runs: 1, isTold: false });
  });
});
