import { callingHours, gateGrounds, overlayCallingRules } from '@outdial/core';
import { afterEach, describe, expect, test } from 'vitest';
import { callingRulesEnv, useCallingRules } from './calling-rules-fragment.ts';
import { EnvError, loadEnv } from './load-env.ts';

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
const load = (overlay: unknown) =>
  loadEnv({ rules: callingRulesEnv }, { CALLING_RULES: JSON.stringify(overlay) }).rules;
const put = (overlay: unknown) => useCallingRules(load(overlay));
const openIn = (key: string, at: string) => callingHours(key, new Date(at)).kind;

afterEach(() => void overlayCallingRules(null));

describe('rules of an operator', () => {
  test('replace the built-in rules', () => {
    // Tuesday and Wednesday; the hours of countries without a rule, in Warsaw (UTC+1).
    expect(openIn('strict:PL', '2026-11-10T14:00:00Z')).toBe('open');
    put({ version: 'acme-7', rules: [warsaw] });
    expect(openIn('strict:PL', '2026-11-10T14:00:00Z')).toBe('closed');
    expect(openIn('strict:PL', '2026-11-10T10:00:00Z')).toBe('open');
    expect(openIn('strict:PL', '2026-11-11T10:00:00Z')).toBe('closed');
    expect(openIn('strict:DE', '2026-11-10T14:00:00Z')).toBe('open');
  });

  test('leave days without calls in place that the rule before them had', () => {
    put({
      version: 'acme-7',
      rules: [{ ...warsaw, jurisdiction: 'DE', weekdays: ['00:00-24:00'], closed: [] }],
    });
    expect(openIn('strict:DE', '2026-12-22T22:00:00Z')).toBe('open');
    expect(openIn('strict:DE', '2026-12-25T10:00:00Z')).toBe('closed');
  });

  test('may list the spans of a day in any order, and apply 29 February in leap years alone', () => {
    put({
      version: 'acme-7',
      rules: [{ ...warsaw, weekdays: ['14:00-16:00', '10:00-12:00'], closed: ['02-29'] }],
    });
    expect(openIn('strict:PL', '2026-11-10T10:00:00Z')).toBe('open');
    expect(openIn('strict:PL', '2026-11-10T12:00:00Z')).toBe('closed');
    expect(openIn('strict:PL', '2026-11-10T14:00:00Z')).toBe('open');
    expect(openIn('strict:PL', '2028-02-29T10:00:00Z')).toBe('closed');
    expect(openIn('strict:PL', '2027-03-01T10:00:00Z')).toBe('open');
  });

  test('name nothing twice, because one of the two would be lost', () => {
    const CALLING_RULES = '{"version":"acme-7","rules":[],"pins":{"DE":1,"DE":2}}';
    const read = () => loadEnv({ rules: callingRulesEnv }, { CALLING_RULES });
    expect(read).toThrow(/names pins\.DE twice/);
  });

  const december = Array.from({ length: 13 }, (_, n) => `12-${19 + n}`);
  test.each([
    [{ weekdays: ['10:00-12:00', '11:00-14:00'] }, 'rules[0].weekdays'],
    [{ closed: ['02-30'] }, 'rules[0].closed[0]'],
    [{ closed: ['04-31'] }, 'rules[0].closed[0]'],
    [{ closed: december }, 'rules[0].closed'],
  ])('are refused with %j', (change, field) => {
    expect(() => load({ version: 'acme-7', rules: [{ ...warsaw, ...change }] })).toThrow(field);
  });

  test('may forbid all calls', () => {
    put({ version: 'acme-7', rules: [{ ...warsaw, weekdays: [] }] });
    expect(openIn('strict:PL', '2026-11-10T10:00:00Z')).toBe('closed');
  });

  test('are named in receipts with their overlay and version', () => {
    put({ version: 'acme-7', rules: [warsaw] });
    const grounds = (key: string) =>
      gateGrounds({ callingPolicy: 'strict', key, window: null, hours: null, consent: null, campaign: null })
        .rules[0];
    expect(grounds('strict:PL')).toMatchObject({ version: 4, overlay: 'acme-7', citation: 'Kodeks Acme' });
    expect(grounds('strict:DE')).not.toHaveProperty('overlay');
  });
});

test('a version that is pinned and in this release starts', () => {
  expect(() => put({ version: 'acme-7', pins: { DE: 2 } })).not.toThrow();
  // Its hours are the operator's, so the release decides nothing.
  expect(() =>
    put({ version: '7', pins: { DE: 99 }, rules: [{ ...warsaw, jurisdiction: 'DE' }] }),
  ).not.toThrow();
});

test.each([
  [{ version: '7', rules: [{ ...warsaw, saturday: ['9-12'] }] }, 'rules[0].saturday[0]'],
  [{ version: '7', rules: [{ ...warsaw, saturday: ['20:00-09:00'] }] }, 'rules[0].saturday[0]'],
  [{ version: '7', rules: [{ ...warsaw, saturday: ['09:70-12:00'] }] }, 'rules[0].saturday[0]'],
  [{ version: '7', rules: [{ ...warsaw, closed: ['13-01'] }] }, 'rules[0].closed[0]'],
  [{ version: '7', rules: [{ ...warsaw, jurisdiction: 'Poland' }] }, 'rules[0].jurisdiction'],
  [{ version: '7', rules: [{ ...warsaw, hours: 1 }] }, 'rules[0]'],
  [{ rules: [] }, 'version'],
  [{ version: '7', pins: { 'US-FL': 0 } }, 'pins.US-FL'],
])('%j is refused, and the field is named', (overlay, field) => {
  expect(() => load(overlay)).toThrow(EnvError);
  expect(() => load(overlay)).toThrow(`CALLING_RULES: ${field} `);
});

test.each([
  [{ version: '7', pins: { DE: 1 } }, 'pins.DE the rule has version 2'],
  [{ version: '7', pins: { QQ: 1 } }, 'pins.QQ has no built-in rule'],
  [
    { version: '7', rules: [{ ...warsaw, jurisdiction: 'US-GA' }] },
    'rules[0].jurisdiction is a region without',
  ],
  [{ version: '7', rules: [{ ...warsaw, jurisdiction: 'QQ' }] }, 'rules[0].jurisdiction is not a country'],
  [{ version: '7', rules: [{ ...warsaw, jurisdiction: 'PR' }] }, 'to which the rule of US applies'],
  [{ version: '7', rules: [warsaw, warsaw] }, 'rules[1].jurisdiction repeats a jurisdiction'],
])('%j prevents the start and changes no rule', (overlay, message) => {
  expect(() => put(overlay)).toThrow(message);
  expect(openIn('strict:PL', '2026-11-10T14:00:00Z')).toBe('open');
});
