import {
  decideStep,
  dialingWindow,
  nextDial,
  outcomes,
  type DialingSchedule,
  type LastCall,
  type RetryPolicy,
} from '@outdial/core';
import { describe, expect, test } from 'vitest';
import { isOpen, nextOpen, stepMs, windowDate } from './dialing-oracle.ts';
import { createRandom, type Random } from '../chaos/random.ts';
import { verdictOf } from './retry-oracle.ts';

/** A few hundred in `npm test`; 10,000 in `.ci/run`, 100,000 in `npm run long`. */
const cases = Number(process.env['ORACLE_CASES'] ?? 500);
const seed = Number(process.env['SEED'] ?? 1);
const timeoutMs = 60_000 + cases * 20;

const zones = Intl.supportedValuesOf('timeZone');
/** Days near clock changes, and one without. */
const days = [
  '2026-03-08',
  '2026-03-29',
  '2026-04-05',
  '2026-06-10',
  '2026-09-27',
  '2026-10-25',
  '2026-11-01',
];

const below = (random: Random, limit: number) => random.between(0, limit - 1);

function pick<T>(random: Random, from: readonly T[]): T {
  const picked = from[below(random, from.length)];
  if (picked === undefined) throw new RangeError('nothing to pick from');
  return picked;
}

function time(random: Random): string {
  const minutes = below(random, 24 * 12) * 5;
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

function instant(random: Random): number {
  const day = Date.parse(pick(random, days));
  return day + Math.floor(((random.next() - 0.5) * 8 * 86_400_000) / stepMs) * stepMs;
}

function schedule(random: Random, around: number): DialingSchedule {
  const isEndless = random.chance(0.4);
  const hours = random.chance(0.2)
    ? { startTime: '00:00', endTime: pick(random, ['00:00', '24:00', '23:55']) }
    : null;
  return {
    startAt: new Date(around + (random.next() - 0.8) * 5 * 86_400_000),
    endAt: isEndless ? null : new Date(around + random.next() * 12 * 86_400_000),
    startTime: time(random),
    endTime: time(random),
    ...hours,
    callOnWeekend: random.chance(0.5),
    timezone: pick(random, zones),
  };
}

const delays = [0, 60, 900, 3_600, 40_000, 90_000];

function retryDelays(random: Random): RetryPolicy['retryDelaysSeconds'] {
  if (random.chance(0.4)) return null;
  const sequence = () => Array.from({ length: random.between(1, 4) }, () => pick(random, delays));
  if (random.chance(0.5)) return sequence();
  return Object.fromEntries(
    outcomes.filter(() => random.chance(0.5)).map((outcome) => [outcome, sequence()]),
  );
}

function policy(random: Random): RetryPolicy {
  return {
    callBackAttempts: below(random, 4),
    retryDelaySeconds: pick(random, delays),
    retryDelaysSeconds: retryDelays(random),
    retryOn: outcomes.filter(() => random.chance(0.7)),
    queueAgain: random.chance(0.6),
    maxAttemptsPerRecipient: random.chance(0.3) ? 1 + below(random, 8) : null,
  };
}

function lastCall(random: Random, at: number): LastCall {
  const roundAttempt = 1 + below(random, 5);
  return {
    attempt: roundAttempt + below(random, 6),
    round: 1 + below(random, 11),
    roundAttempt,
    gatedAt: new Date(at),
    endedAt: new Date(at + below(random, 600_000)),
    outcome: pick(random, outcomes),
  };
}

describe('against an independent implementation, which steps through instants and uses Intl', () => {
  test(
    'windows open, close and open next at the same instants',
    () => {
      const random = createRandom(seed);
      for (let n = 0; n < cases; n++) {
        const at = instant(random) + below(random, stepMs);
        const zone = pick(random, zones);
        const when = schedule(random, at);
        const decision = dialingWindow(when, zone, new Date(at));
        const checked = { n, zone, at: new Date(at).toISOString(), ...when };
        expect({ ...checked, isOpen: decision.kind === 'open' }).toEqual({
          ...checked,
          isOpen: isOpen(when, zone, at),
        });
        const opens = nextOpen(when, zone, at);
        const opensAt =
          decision.kind === 'open' ? at : decision.kind === 'closed' ? decision.opensAt.getTime() : null;
        expect({ ...checked, opensAt }).toEqual({ ...checked, opensAt: opens });
        const date = decision.kind === 'open' ? decision.localDate : null;
        expect({ ...checked, date }).toEqual({
          ...checked,
          date: opens === at ? windowDate(when, zone, at) : null,
        });
        const next = nextDial(when, [{ zone, dueAt: new Date(at) }], new Date(at));
        expect(next.kind === 'at' ? next.at.getTime() : null).toBe(opens);
        const saysRetry = next.kind === 'at' && next.waitingFor === 'retry';
        expect(saysRetry && !isOpen(when, zone, at)).toBe(false);
      }
    },
    timeoutMs,
  );

  test(
    'recipients get the same next attempt, in the same round, or none for the same reason',
    () => {
      const random = createRandom(seed + 1);
      for (let n = 0; n < cases; n++) {
        const zone = pick(random, zones);
        const at = instant(random);
        const when = schedule(random, at);
        const rules = { status: 'running' as const, schedule: when, policy: policy(random) };
        const last = lastCall(random, at);
        const firstAttemptAt = new Date(instant(random) + below(random, stepMs));
        const step = decideStep({
          rules,
          recipient: { callingKey: zone, withdrawn: false, firstAttemptAt, requestedRound: null },
          last,
        });
        const decided =
          step.state === 'pending'
            ? { at: step.nextAttemptAt.getTime(), round: step.round, roundAttempt: step.roundAttempts + 1 }
            : { never: step.finishReason };
        const checked = { n, zone, firstAttemptAt, last, rules };
        expect({ ...checked, ...decided }).toEqual({
          ...checked,
          ...verdictOf({ ...rules, zone, last, firstAttemptAt }),
        });
      }
    },
    timeoutMs,
  );
});
