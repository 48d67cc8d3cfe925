import { type LockedCall, webProvider } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import type { CallReport } from './fold-facts.ts';
import { nextCheck } from './next-check.ts';

const gatedAt = new Date('2026-03-02T12:00:00Z');
const after = (seconds: number) => new Date(gatedAt.getTime() + seconds * 1000);
const times = { ringTimeoutSeconds: 30, maxCallSeconds: 600 };

/** Only the fields that decide. */
type Checked = Pick<
  LockedCall,
  'provider' | 'phase' | 'gated_at' | 'accepted_at' | 'answered_at' | 'check_at'
>;
const answered: Checked = {
  provider: 'trunk',
  phase: 'answered',
  gated_at: gatedAt,
  accepted_at: gatedAt,
  answered_at: after(10),
  check_at: after(45),
};

function secondsTo(
  call: Checked,
  report: Partial<CallReport>,
  at: { now: number; usualTalkSeconds?: number },
): number {
  const usualTalkMs = at.usualTalkSeconds === undefined ? null : at.usualTalkSeconds * 1000;
  const whole = { callId: 'c', facts: [], ...report };
  // A call has more fields, which `nextCheck` does not read.
  const checkAt = nextCheck(call as LockedCall, whole, { times, usualTalkMs, now: after(at.now) });
  return (checkAt.getTime() - gatedAt.getTime()) / 1000;
}

describe('the next look-up', () => {
  test.each([
    [undefined, 60],
    [20, 60],
    [40, 80],
    [300, 110],
  ])('after an answer, if conversations usually last %s s, is after %i s', (usualTalkSeconds, seconds) => {
    const at = { now: 10, ...(usualTalkSeconds !== undefined && { usualTalkSeconds }) };
    expect(secondsTo(answered, {}, at)).toBe(10 + seconds);
  });

  test('of a conversation that goes on is never more than two minutes away, and grows', () => {
    const gaps: number[] = [];
    for (let now = 70; ;) {
      const next = secondsTo(answered, { wasLookedUp: true }, { now });
      if (next === 610) break;
      gaps.push(next - now);
      now = next;
    }
    expect(gaps.toSorted((a, b) => a - b)).toEqual(gaps);
    expect(gaps[0]).toBe(30);
    expect(gaps.at(-1)).toBe(110);
  });

  test('stays after another event, and is the longest end at last', () => {
    const later = { ...answered, check_at: after(150) };
    expect(secondsTo(later, {}, { now: 100 })).toBe(150);
    expect(secondsTo(answered, { wasLookedUp: true }, { now: 590 })).toBe(610);
  });

  test('of a conversation in a browser is its longest end, since no carrier knows it', () => {
    const web = { ...answered, provider: webProvider };
    expect(secondsTo(web, {}, { now: 10 })).toBe(610);
    expect(secondsTo({ ...web, check_at: after(70) }, {}, { now: 100 })).toBe(610);
  });

  test('of a call that is not answered is after its ringing, or 15 s after the last', () => {
    const ringing: Checked = { ...answered, phase: 'ringing', answered_at: null };
    expect(secondsTo(ringing, {}, { now: 5 })).toBe(45);
    expect(secondsTo(ringing, { wasLookedUp: true }, { now: 50 })).toBe(65);
    expect(secondsTo(ringing, { nextChangeAt: after(7) }, { now: 5 })).toBe(7);
  });
});
