import { callingKeyOf, forecastCampaign, type ForecastCase, type OutcomeRate } from '@outdial/core';
import { draw, gauss, playCampaign, type Truth } from './played-campaign.ts';

/**
 * Compares forecasts with a hundred random campaigns that are simulated call by call, at rates that the forecast only estimates from earlier calls.
 * Usage: node test/bench/forecast/main.ts [campaigns] [seed]
 */
const [campaigns = 100, seed = 1] = process.argv.slice(2).map(Number);

function randomFrom(start: number): () => number {
  let state = BigInt(start) * 0x9e3779b97f4a7c15n;
  return () => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number(state >> 11n) / 2 ** 53;
  };
}

const random = randomFrom(seed);
const between = (from: number, to: number) => from + random() * (to - from);
const whole = (from: number, to: number) => Math.floor(between(from, to + 1));
function oneOf<T>(some: readonly T[]): T {
  const one = some[whole(0, some.length - 1)];
  if (one === undefined) throw new RangeError('nothing to choose from');
  return one;
}

function randomTruths(): Truth[] {
  const weights = {
    completed: between(1, 6),
    no_answer: between(1, 5),
    voicemail: between(0, 3),
    busy: between(0, 2),
    failed: between(0, 1),
  };
  const all = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  const seconds = {
    completed: between(30, 240),
    no_answer: between(20, 45),
    voicemail: between(20, 60),
    busy: between(2, 8),
    failed: between(1, 5),
  };
  return (Object.keys(weights) as Array<keyof typeof weights>).map((outcome) => ({
    outcome,
    share: weights[outcome] / all,
    seconds: seconds[outcome],
    spreadSeconds: seconds[outcome] / 4,
  }));
}

/** The organization's earlier calls, from which the forecast estimates its rates. */
function historyOf(truths: readonly Truth[], calls: number): OutcomeRate[] {
  const seen = new Map<string, number[]>();
  for (let n = 0; n < calls; n++) {
    const truth = draw(truths, random);
    const seconds = Math.max(0.2, truth.seconds + gauss(random) * truth.spreadSeconds);
    seen.set(truth.outcome, [...(seen.get(truth.outcome) ?? []), seconds]);
  }
  return truths.flatMap(({ outcome }) => {
    const some = seen.get(outcome) ?? [];
    if (some.length === 0) return [];
    const mean = some.reduce((sum, one) => sum + one, 0) / some.length;
    const variance = some.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, some.length - 1);
    return [{ outcome, calls: some.length, seconds: mean, spreadSeconds: Math.sqrt(variance) }];
  });
}

const places = [
  '+12125550100',
  '+13125550100',
  '+13035550100',
  '+12135550100',
  '+18085550100',
  '+442079460958',
  '+493012345678',
  '+81312345678',
];

function randomCampaign(): ForecastCase {
  const policy = oneOf(['none', 'standard', 'strict'] as const);
  const people = whole(50, 1_000);
  const shown = places.slice(0, whole(1, places.length));
  const keys = [
    ...new Set(shown.map((phoneNumber) => callingKeyOf(policy, { phoneNumber }, 'America/New_York'))),
  ];
  const nowMs = Date.parse('2027-03-01T00:00:00Z') + whole(0, 20 * 86_400) * 1000;
  const hours = oneOf([
    ['00:00', '24:00'],
    ['09:00', '17:00'],
    ['10:00', '20:00'],
  ] as const);
  const ends = random() < 0.2;
  return {
    schedule: {
      startAt: new Date(nowMs),
      endAt: ends ? new Date(nowMs + whole(1, 5) * 86_400_000) : null,
      startTime: hours[0],
      endTime: hours[1],
      callOnWeekend: random() < 0.5,
      timezone: 'America/New_York',
    },
    policy: {
      retryDelaysSeconds: null,
      retryOn: ['no_answer', 'busy', 'failed', 'voicemail'],
      callBackAttempts: whole(0, 4),
      retryDelaySeconds: oneOf([300, 900, 3600, 14_400]),
      queueAgain: random() < 0.25,
      maxAttemptsPerRecipient: random() < 0.33 ? null : oneOf([4, 6]),
    },
    isDebtCollection: false,
    caps: null,
    lines: whole(1, 20),
    callsPerSecond: random() < 0.3 ? between(0.02, 0.5) : null,
    daily: [],
    callerIds: null,
    othersWait: false,
    nowMs,
    groups: keys.map((key, n) => ({
      key,
      count: Math.floor(people / keys.length) + (n < people % keys.length ? 1 : 0),
      dueMs: nowMs,
      attempts: 0,
      round: 1,
      roundAttempts: 0,
      firstAttemptMs: null,
    })),
  };
}

let within = 0;
let below = 0;
let forecastMs = 0;
for (let n = 0; n < campaigns; n++) {
  const truths = randomTruths();
  const campaign = randomCampaign();
  const calls = whole(60, 3_000);
  const rates = { from: 'organization' as const, callsLookedAt: calls, rates: historyOf(truths, calls) };
  const began = performance.now();
  const { end } = await forecastCampaign(campaign, rates, n);
  forecastMs += performance.now() - began;
  const endedMs = playCampaign(campaign, truths, random);
  const [p10, p50, p90] = [end.p10, end.p50, end.p90].map((at) => at?.getTime() ?? Number.POSITIVE_INFINITY);
  const isWithin = endedMs >= (p10 ?? 0) - 1000 && endedMs <= (p90 ?? 0) + 1000;
  if (isWithin) within += 1;
  else {
    if (endedMs < (p10 ?? 0)) below += 1;
    const hours = (ms: number | undefined) => (((ms ?? 0) - campaign.nowMs) / 3_600_000).toFixed(2);
    const people = campaign.groups.reduce((sum, { count }) => sum + count, 0);
    const { callBackAttempts, queueAgain, retryDelaySeconds } = campaign.policy;
    console.log(
      `missed ${n}: ended after ${hours(endedMs)} h, forecast ${hours(p10)} ${hours(p50)} ${hours(p90)}; ` +
        `${people} people, ${campaign.lines} lines, pace ${campaign.callsPerSecond?.toFixed(2) ?? 'none'}, ${callBackAttempts} call-backs ` +
        `after ${retryDelaySeconds} s, queue_again ${queueAgain}, ${campaign.schedule.startTime} to ${campaign.schedule.endTime}`,
    );
  }
}
const share = within / campaigns;
console.log(
  `${within} of ${campaigns} campaigns ended between p10 and p90 (${below} before, ${campaigns - within - below} after); ` +
    `${(forecastMs / campaigns).toFixed(0)} ms a forecast`,
);
process.exitCode = share >= 0.8 ? 0 : 1;
