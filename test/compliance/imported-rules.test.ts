import { readRulesDocument } from '@outdial/contracts';
import {
  callingKeyOf,
  dialingWindow,
  neededConsent,
  overlayCallingRules,
  resolveKey,
  scrubDaysOf,
} from '@outdial/core';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { isLongRun } from '../support/full-run.ts';
import { capsAt, consentAt, listDaysAt, mayBeCalled, readImport } from './checker.ts';
import { always, people } from './people.ts';
import { holidaysFrom, holidaysTo, texts } from './texts.ts';

afterEach(() => {
  overlayCallingRules(null);
  readImport(null);
});

const dayMs = 86_400_000;
const from = Date.parse(holidaysFrom) + dayMs;
const to = Date.parse(holidaysTo) - 7 * dayMs;
const purposes = ['marketing', 'service', 'debt_collection'] as const;

const spans = fc.constantFrom(
  ['09:00-12:00', '14:00-19:30'],
  ['00:00-24:00'],
  ['06:15-22:45'],
  ['10:00-11:00'],
  [],
);
const hours = fc.record({ weekdays: spans, saturday: spans, sunday: spans });
const date = fc.integer({ min: from, max: to }).map((at) => new Date(at).toISOString().slice(0, 10));
const closed = fc.array(
  fc.oneof(
    date,
    date.map((day) => day.slice(5)),
  ),
  { maxLength: 4 },
);
const emergency = fc
  .tuple(fc.integer({ min: from, max: to - 60_000 }), fc.integer({ min: 60_000, max: 40 * dayMs }))
  .map(([at, forMs]) => ({
    from: new Date(at).toISOString(),
    // The checker lists holidays only so far.
    to: new Date(Math.min(at + forMs, to)).toISOString(),
    reason: 'floods',
  }));
const cap = fc.record({ calls: fc.integer({ min: 1, max: 9 }), hours: fc.integer({ min: 1, max: 700 }) });
/** The page lists bases one by one, so a file that accepts an express consent names the written one too. */
const bases = fc.constantFrom(null, ['prior_express_written'], ['prior_express', 'prior_express_written']);
const consent = fc.record({ marketing: bases, service: bases, debt_collection: bases }, { requiredKeys: [] });

const hasShortDays = (jurisdiction: string) =>
  texts[jurisdiction]?.from !== undefined || texts[jurisdiction]?.until !== undefined;

/** What a file may say of a jurisdiction: any of the parts. */
const ruleOf = (jurisdiction: string) =>
  fc
    .tuple(
      fc.option(hours),
      fc.record(
        {
          closed,
          emergencies: fc.array(emergency, { maxLength: 2 }),
          caps: fc.array(cap, { maxLength: 2 }),
          list_good_for_days: fc.integer({ min: 1, max: 31 }),
          consent,
          purposes: fc.subarray([...purposes]),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([week, others]) => ({
      jurisdiction,
      version: 1,
      // The checker knows only the end, or the beginning, of days with hours of their own.
      ...(week !== null &&
        !hasShortDays(jurisdiction) && {
          ...week,
          // The checker does not list the holidays that fall on days without calls.
          ...(texts[jurisdiction]?.saturday === '-' && { saturday: [] }),
          ...(texts[jurisdiction]?.sunday === '-' && { sunday: [] }),
        }),
      ...others,
      basis: 'code',
      citation: 'Our own rule',
      as_of: '2026-12-01',
    }));

/** People, and a file with rules for their country, their state, or both. */
const someone = fc.constantFrom(...people).chain((where) => {
  const names = [where.country, where.region].filter((name) => name !== null);
  return fc.record({
    where: fc.constant(where),
    phoneNumber: fc.constantFrom(...where.numbers),
    rules: fc.subarray(names, { minLength: 1 }).chain((some) => fc.tuple(...some.map(ruleOf))),
  });
});

test('what an operator imports has the meaning that its page gives it: hours, closed days, emergencies, caps, consents and ages of lists', () => {
  let read = 0;
  fc.assert(
    fc.property(
      someone,
      fc.constantFrom('strict', 'standard'),
      fc.array(fc.integer({ min: from, max: to }), { minLength: 20, maxLength: 20 }),
      ({ where, phoneNumber, rules }, policy, instants) => {
        const text = JSON.stringify({ version: 'acme-1', pins: {}, rules });
        const file = readRulesDocument(text);
        // A file with too many days in a row without calls is refused.
        fc.pre('document' in file);
        read += 1;
        expect(overlayCallingRules(file.document, 1)).toBeNull();
        readImport(text);
        const key = callingKeyOf(policy, { phoneNumber }, 'UTC');
        const ends = rules.flatMap(({ emergencies = [] }) =>
          emergencies.flatMap((one) => [Date.parse(one.from), Date.parse(one.to)]),
        );
        for (const at of [...instants, ...ends.flatMap((end) => [end - 1, end])]) {
          const isOpen = dialingWindow(always, key, new Date(at)).kind === 'open';
          expect([isOpen, new Date(at).toISOString()]).toEqual([
            mayBeCalled(where, policy, at),
            new Date(at).toISOString(),
          ]);
        }
        const caps = (list: ReadonlyArray<{ calls: number; hours: number }>) =>
          new Set(list.map(({ calls, hours: within }) => `${calls}/${within}h`));
        expect(caps(resolveKey(key).caps ?? [])).toEqual(caps(capsAt(where, policy)));
        for (const purpose of purposes) {
          const needed = neededConsent(key, { callingPolicy: policy, purpose });
          expect([purpose, askedBy(needed?.bases ?? null)]).toEqual([
            purpose,
            consentAt(where, policy, purpose),
          ]);
        }
        expect(scrubDaysOf(where.region ?? where.country)).toBe(listDaysAt(where));
      },
    ),
    { numRuns: isLongRun ? 1_000 : 300 },
  );
  expect(read).toBeGreaterThan(100);
});

function askedBy(list: readonly string[] | null): ReturnType<typeof consentAt> {
  if (list === null) return null;
  if (list.includes('prior_express')) return 'express';
  return list.includes('prior_express_written') ? 'written' : 'impossible';
}
