import { callingKeyOf, dialingWindow } from '@outdial/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wallClock } from '../oracle/wall-clock.ts';
import { isLongRun } from '../support/full-run.ts';
import { mayBeCalled } from './checker.ts';
import { always, people } from './people.ts';
import { holidaysFrom, holidaysTo } from './texts.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const person = fc
  .constantFrom(...people)
  .chain((where) => fc.constantFrom(...where.numbers).map((phoneNumber) => ({ where, phoneNumber })));
const policy = fc.constantFrom('strict' as const, 'standard' as const);
/** Leaves a week at each end for the search of openings. */
const instant = fc.integer({
  min: Date.parse(holidaysFrom) + dayMs,
  max: Date.parse(holidaysTo) - 7 * dayMs,
});

describe('for every number, policy and instant', () => {
  test('a call is allowed exactly when all possible jurisdictions and clocks of the number allow it', () => {
    fc.assert(
      fc.property(person, policy, instant, ({ where, phoneNumber }, under, at) => {
        const key = callingKeyOf(under, { phoneNumber }, 'UTC');
        const decision = dialingWindow(always, key, new Date(at));
        expect(decision.kind === 'open', `${phoneNumber} ${key} ${new Date(at).toISOString()}`).toBe(
          mayBeCalled(where, under, at),
        );
      }),
      { numRuns: isLongRun ? 50_000 : 3_000 },
    );
  });

  test('reported openings and closings are exact', () => {
    fc.assert(
      fc.property(person, policy, instant, ({ where, phoneNumber }, under, at) => {
        const key = callingKeyOf(under, { phoneNumber }, 'UTC');
        const decision = dialingWindow(always, key, new Date(at));
        if (decision.kind === 'over') throw new Error('never open');
        const changeMs = (decision.kind === 'open' ? decision.closesAt : decision.opensAt).getTime();
        const isOpen = decision.kind === 'open';
        // A window of all day is two adjacent windows of the campaign around midnight.
        if (isOpen && mayBeCalled(where, under, changeMs)) return;
        expect(mayBeCalled(where, under, changeMs)).toBe(!isOpen);
        expect(mayBeCalled(where, under, changeMs - 1)).toBe(isOpen);
        for (let between = at; between < changeMs; between += 47 * 60_000) {
          expect(mayBeCalled(where, under, between)).toBe(isOpen);
        }
      }),
      { numRuns: isLongRun ? 10_000 : 500 },
    );
  });

  const halfHours = ['2026-10-24', '2026-10-31', '2026-12-24', '2027-03-13', '2027-03-27'].flatMap((day) =>
    Array.from({ length: 96 }, (_, n) => Date.parse(day) + n * 0.5 * hourMs),
  );
  /** Two hours of each day, by a clock. */
  function daily(zone: string): number[] {
    const days = (Date.parse(holidaysTo) - Date.parse(holidaysFrom)) / dayMs;
    return Array.from({ length: days }, (_, n) => Date.parse(holidaysFrom) + n * dayMs).flatMap(
      (midnight) => {
        const { date, msOfDay } = wallClock(zone, midnight);
        const aheadMs = Date.parse(date) + msOfDay - midnight;
        return [11, 14].map((hour) => midnight + hour * hourMs - aheadMs);
      },
    );
  }

  test.each(people)(
    '$country $region agrees on every day, and in every half-hour as clocks change',
    (where) => {
      const keys = (['strict', 'standard'] as const).flatMap((under) =>
        where.numbers.map(
          (phoneNumber) => [callingKeyOf(under, { phoneNumber }, 'UTC'), { under, phoneNumber }] as const,
        ),
      );
      const instants = [...halfHours, ...daily(where.zones[0] ?? 'UTC')];
      // Most numbers of a place have the same key.
      for (const [key, { under, phoneNumber }] of new Map(keys)) {
        for (const at of instants) {
          expect(
            dialingWindow(always, key, new Date(at)).kind === 'open',
            `${phoneNumber} ${key} ${new Date(at).toISOString()}`,
          ).toBe(mayBeCalled(where, under, at));
        }
      }
    },
  );

  test('the campaign’s own hours and weekends apply on every possible clock', () => {
    const office = { ...always, startTime: '10:00', endTime: '18:00', callOnWeekend: false };
    fc.assert(
      fc.property(person, policy, instant, ({ where, phoneNumber }, under, at) => {
        const key = callingKeyOf(under, { phoneNumber }, 'UTC');
        const clocks = where.zones.map((timeZone) => {
          const parts = new Intl.DateTimeFormat('en-GB', {
            timeZone,
            weekday: 'short',
            hour: '2-digit',
            hourCycle: 'h23',
          });
          const [weekday = '', hour = ''] = parts.format(at).split(', ');
          return !weekday.startsWith('S') && Number(hour) >= 10 && Number(hour) < 18;
        });
        expect(dialingWindow(office, key, new Date(at)).kind === 'open').toBe(
          mayBeCalled(where, under, at) && clocks.every(Boolean),
        );
      }),
      { numRuns: isLongRun ? 10_000 : 800 },
    );
  });
});
