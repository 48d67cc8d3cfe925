import { callingHours, dialingWindow, judgeOverlay, overlayCallingRules } from '@outdial/core';
import { afterEach, describe, expect, test } from 'vitest';
import { readRulesDocument } from './rules-document.ts';

const warsaw = {
  jurisdiction: 'PL',
  version: 4,
  weekdays: ['10:00-12:00'],
  saturday: [],
  sunday: [],
  closed: ['11-11'],
  basis: 'code',
  citation: 'Kodeks Acme',
  as_of: '2026-11-01',
};
const named = { jurisdiction: 'PL', version: 4, basis: 'code', citation: 'Kodeks Acme', as_of: '2026-11-01' };

function read(document: unknown) {
  const found = readRulesDocument(JSON.stringify(document));
  if ('faults' in found) throw new Error(found.faults.join('; '));
  return found.document;
}

const put = (...rules: object[]) => overlayCallingRules(read({ version: 'acme-7', rules }), 1);
const openIn = (key: string, at: string) => callingHours(key, new Date(at)).kind;

afterEach(() => void overlayCallingRules(null));

describe('rules of an operator', () => {
  test('replace the built-in hours', () => {
    // Tuesday and Wednesday; the hours of countries without a rule, in Warsaw (UTC+1).
    expect(openIn('strict:PL', '2026-11-10T14:00:00Z')).toBe('open');
    put(warsaw);
    expect(openIn('strict:PL', '2026-11-10T14:00:00Z')).toBe('closed');
    expect(openIn('strict:PL', '2026-11-10T10:00:00Z')).toBe('open');
    expect(openIn('strict:PL', '2026-11-11T10:00:00Z')).toBe('closed');
    expect(openIn('strict:DE', '2026-11-10T14:00:00Z')).toBe('open');
  });

  test('leave in place what they do not say, and days without calls that the rule before them had', () => {
    put({ ...named, jurisdiction: 'DE', version: 3, closed: ['2027-05-03'] });
    // Monday, and the same day a year later.
    expect(openIn('strict:DE', '2027-05-03T10:00:00Z')).toBe('closed');
    expect(openIn('strict:DE', '2028-05-03T10:00:00Z')).toBe('open');
    expect(openIn('strict:DE', '2026-12-25T10:00:00Z')).toBe('closed');
    expect(openIn('strict:DE', '2027-05-04T05:00:00Z')).toBe('closed');
  });

  test('may list the spans of a day in any order, and apply 29 February in leap years alone', () => {
    put({ ...warsaw, weekdays: ['14:00-16:00', '10:00-12:00'], closed: ['02-29'] });
    expect(openIn('strict:PL', '2026-11-10T10:00:00Z')).toBe('open');
    expect(openIn('strict:PL', '2026-11-10T12:00:00Z')).toBe('closed');
    expect(openIn('strict:PL', '2026-11-10T14:00:00Z')).toBe('open');
    expect(openIn('strict:PL', '2028-02-29T10:00:00Z')).toBe('closed');
    expect(openIn('strict:PL', '2027-03-01T10:00:00Z')).toBe('open');
  });

  test('may forbid all calls', () => {
    put({ ...warsaw, weekdays: [] });
    expect(openIn('strict:PL', '2026-11-10T10:00:00Z')).toBe('closed');
  });

  test('close a place from an instant to an instant, and it opens again after it, however long it lasts', () => {
    const [from, to] = ['2027-02-02T10:30:00Z', '2027-03-30T09:15:00Z'];
    put({ ...named, jurisdiction: 'DE', emergencies: [{ from, to, reason: 'a flood' }] });
    expect(callingHours('strict:DE', new Date('2027-02-02T10:00:00Z'))).toMatchObject({
      kind: 'open',
      closesAt: new Date(from),
    });
    expect(callingHours('strict:DE', new Date('2027-02-02T10:30:00Z'))).toEqual({
      kind: 'closed',
      opensAt: new Date(to),
    });
  });

  test('reach a state without a rule of its own under strict, by the keys that its people have already', () => {
    expect(openIn('strict:US-GA', '2027-02-02T14:00:00Z')).toBe('open');
    put({ ...warsaw, jurisdiction: 'US-GA' });
    expect(openIn('strict:US-GA', '2027-02-02T14:00:00Z')).toBe('closed');
    expect(openIn('strict:US-GA', '2027-02-02T15:00:00Z')).toBe('open');
    expect(openIn('strict:US-*', '2027-02-02T14:00:00Z')).toBe('closed');
  });
});

describe('what is looser than the built-in rule is named', () => {
  const looser = (rule: object) => {
    const judged = judgeOverlay(read({ version: '7', rules: [{ ...named, ...rule }] }));
    if ('fault' in judged) throw new Error(judged.fault.message);
    return judged.looser.flatMap((one) => one.looser).join('; ');
  };
  const allDay = { weekdays: ['00:00-24:00'], saturday: [], sunday: [] };

  test.each([
    ['hours', { jurisdiction: 'DE', ...allDay }, /hours .*\(Mondays, .*Fridays\)$/],
    ['a Sunday', { jurisdiction: 'DE', weekdays: [], saturday: [], sunday: ['10:00-12:00'] }, /\(Sundays\)/],
    ['a cap', { jurisdiction: 'FR', caps: [{ calls: 5, hours: 720 }] }, /cap of 4 calls in 720 hours/],
    ['no cap', { jurisdiction: 'FR', caps: [] }, /cap of 4 calls/],
    ['the age of lists', { jurisdiction: 'GB', list_good_for_days: 29 }, /29 days instead of 28/],
    ['no consent', { jurisdiction: 'DE', consent: { marketing: null } }, /no consent .*marketing/],
    ['a lesser consent', { jurisdiction: 'US', consent: { marketing: ['inquiry'] } }, /accepts inquiry/],
    ['hours of a country without a rule', { jurisdiction: 'NP', ...allDay }, /hours/],
  ])('%s', (_, rule, words) => {
    expect(looser(rule)).toMatch(words);
  });

  test.each([
    ['fewer hours', { jurisdiction: 'DE', weekdays: ['09:00-10:00'], saturday: [], sunday: [] }],
    ['a lower cap', { jurisdiction: 'FR', caps: [{ calls: 2, hours: 744 }] }],
    ['fewer days', { jurisdiction: 'GB', list_good_for_days: 27 }],
    ['more consent', { jurisdiction: 'DE', consent: { marketing: ['prior_express_written'], service: [] } }],
    ['a state that only adds', { jurisdiction: 'US-GA', ...allDay }],
  ])('%s are not', (_, rule) => {
    expect(looser(rule)).toBe('');
  });
});

test('a file names nothing twice, because one of the two would be lost', () => {
  expect(readRulesDocument('{"version":"acme-7","rules":[],"pins":{"DE":1,"DE":2}}')).toEqual({
    faults: ['names pins.DE twice'],
  });
  expect(readRulesDocument('{')).toEqual({ faults: ['is not valid JSON'] });
});

const december = Array.from({ length: 13 }, (_, n) => `12-${19 + n}`);
test.each([
  [{ rules: [{ ...warsaw, weekdays: ['10:00-12:00', '11:00-14:00'] }] }, 'rules[0].weekdays'],
  [{ rules: [{ ...warsaw, closed: ['02-30'] }] }, 'rules[0].closed[0]'],
  [{ rules: [{ ...warsaw, closed: ['2027-02-29'] }] }, 'rules[0].closed[0]'],
  [{ rules: [{ ...warsaw, closed: december }] }, 'rules[0].closed'],
  [{ rules: [{ ...warsaw, closed: december.map((day) => `2031-${day}`) }] }, 'rules[0].closed'],
  [{ rules: [{ ...warsaw, saturday: ['9-12'] }] }, 'rules[0].saturday[0]'],
  [{ rules: [{ ...warsaw, saturday: ['20:00-09:00'] }] }, 'rules[0].saturday[0]'],
  [{ rules: [{ ...warsaw, saturday: ['09:70-12:00'] }] }, 'rules[0].saturday[0]'],
  [{ rules: [{ ...named, weekdays: [] }] }, 'rules[0].weekdays'],
  [{ rules: [{ ...warsaw, jurisdiction: 'Poland' }] }, 'rules[0].jurisdiction'],
  [{ rules: [{ ...warsaw, hours: 1 }] }, 'rules[0]'],
  [{ rules: [{ ...named, caps: [{ calls: 1, hours: 745 }] }] }, 'rules[0].caps[0].hours'],
  [{ rules: [{ ...named, list_good_for_days: 32 }] }, 'rules[0].list_good_for_days'],
  [{ rules: [{ ...named, consent: { marketing: ['a nod'] } }] }, 'rules[0].consent.marketing[0]'],
  [
    {
      rules: [
        {
          ...named,
          emergencies: [{ from: '2027-02-02T00:00:00Z', to: '2027-02-01T00:00:00Z', reason: '?' }],
        },
      ],
    },
    'rules[0].emergencies[0].to',
  ],
  [{ pins: { 'US-FL': 0 } }, 'pins.US-FL'],
])('%j is refused, and the field is named', (document, field) => {
  expect(() => read({ version: '7', ...document })).toThrow(`${field} `);
});

test('a version that is pinned and in this release is accepted', () => {
  const judge = (document: object) => judgeOverlay(read({ version: '7', ...document }));
  expect(judge({ pins: { DE: 2 } })).toEqual({ looser: [] });
  // Its hours are the operator's, so the release decides nothing.
  expect(judge({ pins: { DE: 99 }, rules: [{ ...named, jurisdiction: 'DE' }] })).toEqual({ looser: [] });
});

test.each([
  [{ pins: { DE: 1 } }, 'pins.DE', 'the rule has version 2'],
  [{ pins: { QQ: 1 } }, 'pins.QQ', 'has no built-in rule'],
  [{ rules: [{ ...warsaw, jurisdiction: 'US-ZZ' }] }, 'rules[0].jurisdiction', 'is not a country'],
  [{ rules: [{ ...warsaw, jurisdiction: 'QQ' }] }, 'rules[0].jurisdiction', 'is not a country'],
  [{ rules: [{ ...warsaw, jurisdiction: 'PR' }] }, 'rules[0].jurisdiction', 'the rule of US applies'],
  [{ rules: [warsaw, warsaw] }, 'rules[1].jurisdiction', 'repeats a jurisdiction'],
])('%j does not fit the release, and changes no rule', (document, field, message) => {
  const overlay = read({ version: '7', ...document });
  const fault = { field, message: expect.stringContaining(message) as unknown };
  expect(judgeOverlay(overlay)).toEqual({ fault });
  expect(overlayCallingRules(overlay, 3)).toEqual(fault);
  expect(openIn('strict:PL', '2026-11-10T14:00:00Z')).toBe('open');
});

test('days that an import closes may join the closed days around them, and end', () => {
  const closed = Array.from({ length: 11 }, (_, nth) => `12-${21 + nth}`);
  put({ ...named, jurisdiction: 'FR', closed });
  const schedule = {
    startAt: new Date('2026-01-01T00:00:00Z'),
    endAt: null,
    startTime: '00:00',
    endTime: '24:00',
    callOnWeekend: true,
    timezone: 'Europe/Paris',
  };
  const decision = dialingWindow(schedule, 'standard:FR@Europe/Paris', new Date('2026-12-18T19:30:00Z'));
  expect(decision).toMatchObject({ kind: 'closed', opensAt: new Date('2027-01-04T09:00:00Z') });
});

test('nobody is called in New Zealand at Matariki', () => {
  // Te Kāhui o Matariki Public Holiday Act 2022, schedule 1.
  const days = ['2026-07-10', '2027-06-25', '2028-07-14', '2029-07-06', '2030-06-21', '2036-07-18'];
  expect(days.filter((day) => openIn('standard:NZ@Pacific/Auckland', `${day}T00:00:00Z`) === 'open')).toEqual(
    [],
  );
});
