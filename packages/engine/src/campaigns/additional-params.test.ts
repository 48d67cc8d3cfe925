import { TimeZoneHints } from '@outdial/contracts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseAdditionalParams, faultsOfUnlisted } from './additional-params.ts';

// vitest types its matchers as `any`.
const someText: unknown = expect.any(String);

describe('parseAdditionalParams', () => {
  test("reads the engine's fields, with null for missing ones", () => {
    const parsed = parseAdditionalParams({
      anything: [1, { else: true }],
      timezone: 'Europe/Berlin',
      prompt_params: { greeting: 'Hello' },
      recipients: {
        '+15551230000': { prompt_params: { name: 'Ann' }, timezone: 'America/New_York' },
        '+15551230001': { prompt_params: null, note: 5 },
      },
    });
    expect(parsed).toEqual({
      kind: 'ok',
      params: {
        timezone: 'Europe/Berlin',
        promptParams: { greeting: 'Hello' },
        recipients: new Map([
          ['+15551230000', { timezone: 'America/New_York', promptParams: { name: 'Ann' } }],
          ['+15551230001', { timezone: null, promptParams: null }],
        ]),
      },
    });
    expect(parseAdditionalParams({ timezone: null, prompt_params: null, recipients: null })).toEqual({
      kind: 'ok',
      params: { timezone: null, promptParams: {}, recipients: new Map() },
    });
  });

  test.each([
    [{ timezone: 'Mars/Olympus' }, ['timezone'], 'value_error'],
    [{ timezone: 5 }, ['timezone'], 'string_type'],
    [{ timezone: '+02:00' }, ['timezone'], 'value_error'],
    [{ prompt_params: [] }, ['prompt_params'], 'dict_type'],
    [{ prompt_params: { age: 5 } }, ['prompt_params', 'age'], 'string_type'],
    [{ recipients: 'all' }, ['recipients'], 'dict_type'],
    [{ recipients: { '555': {} } }, ['recipients', '555'], 'string_pattern_mismatch'],
    [{ recipients: { '+15551230000': null } }, ['recipients', '+15551230000'], 'dict_type'],
    [
      { recipients: { '+15551230000': { timezone: 'x' } } },
      ['recipients', '+15551230000', 'timezone'],
      'value_error',
    ],
    [
      { recipients: { '+15551230000': { prompt_params: { a: null } } } },
      ['recipients', '+15551230000', 'prompt_params', 'a'],
      'string_type',
    ],
  ])('%j is a fault at %j', (params, path, type) => {
    expect(parseAdditionalParams(params)).toEqual({
      kind: 'invalid',
      faults: [{ loc: ['body', 'additional_params', ...path], msg: someText, type }],
    });
  });

  test('limits the size of common and individual values', () => {
    const faultsOf = (params: Parameters<typeof parseAdditionalParams>[0]) => {
      const parsed = parseAdditionalParams(params);
      return parsed.kind === 'ok' ? [] : parsed.faults.map(({ loc, type }) => [loc.slice(1), type]);
    };
    const note = (length: number) => ({ note: 'x'.repeat(length) });
    const recipients = (length: number) => ({ '+15551230000': note(length), '+15551230001': note(length) });
    expect(faultsOf({ ...note(65_000), recipients: recipients(16_000) })).toEqual([]);
    expect(faultsOf(note(66_000))).toEqual([[['additional_params'], 'too_long']]);
    expect(faultsOf({ recipients: { '+15551230000': note(17_000) } })).toEqual([
      [['additional_params', 'recipients', '+15551230000'], 'too_long'],
    ]);
  });

  test('names a hundred faults, and counts the others', () => {
    const recipients = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`no number ${index}`, {}]),
    );
    const parsed = parseAdditionalParams({ recipients });
    const faults = parsed.kind === 'invalid' ? parsed.faults : [];
    expect(faults).toHaveLength(101);
    expect(faults.at(-1)?.msg).toContain('and 400 more');
  });

  test('suggests zones only for the faults that it lists, and checks no more than ten thousand names', () => {
    const found = vi.spyOn(TimeZoneHints.prototype, 'find');
    const formats = vi.spyOn(Intl, 'DateTimeFormat');
    onTestFinished(() => {
      found.mockRestore();
      formats.mockRestore();
    });
    const zones = Array.from({ length: 50_000 }, (_, index) => `Europe/Berln${'xyz'[index % 3]}${index}`);
    zones[0] = 'Eastern Standard Time';
    const people = zones.map((timezone, index) => [`+1555${String(index).padStart(7, '0')}`, { timezone }]);
    const parsed = parseAdditionalParams({ recipients: Object.fromEntries(people) });
    const faults = parsed.kind === 'invalid' ? parsed.faults : [];
    expect(faults).toHaveLength(101);
    expect(faults[0]?.msg).toContain('perhaps America/New_York');
    expect(found.mock.calls).toEqual(zones.slice(0, 100).map((zone) => [zone]));
    // `Intl` is asked once for each name, and for the names of the zones that exist.
    expect(formats.mock.calls.length).toBeGreaterThan(100);
    expect(formats.mock.calls.length).toBeLessThan(10_200);
  });

  test('counts every person with the same wrong zone', () => {
    const people = Array.from({ length: 20_000 }, (_, index) => [
      `+1555${String(index).padStart(7, '0')}`,
      { timezone: 'EST' },
    ]);
    const parsed = parseAdditionalParams({ recipients: Object.fromEntries(people) });
    const faults = parsed.kind === 'invalid' ? parsed.faults : [];
    expect(faults.at(-1)?.msg).toContain('and 19900 more');
  });
});

test('a recipient that is not on the list is a fault', () => {
  const parsed = parseAdditionalParams({ recipients: { '+15551230000': {}, '+15551230001': {} } });
  if (parsed.kind === 'invalid') throw new Error('expected no fault');
  expect(faultsOfUnlisted(parsed.params, ['+15551230001'])).toEqual([
    {
      loc: ['body', 'additional_params', 'recipients', '+15551230000'],
      msg: 'This number is not in phone_numbers',
      type: 'value_error',
    },
  ]);
});

test('under strict, a field of a person that looks like a place must be one that counts', () => {
  const recipients = {
    '+15551230000': { region: 'US-CA', prompt_params: { state: 'CA' }, note: 'x' },
    '+15551230001': { Region: 'US-CA', postalCode: '94105', time_zone: 'America/Los_Angeles' },
  };
  expect(parseAdditionalParams({ recipients }, { callingPolicy: 'standard' }).kind).toBe('ok');
  const parsed = parseAdditionalParams({ recipients }, { callingPolicy: 'strict' });
  expect(parsed).toMatchObject({
    kind: 'invalid',
    faults: ['Region', 'postalCode', 'time_zone'].map((name) => ({
      loc: ['body', 'additional_params', 'recipients', '+15551230001', name],
    })),
  });
});
