import { OutdialError } from '@outdial/client';
import { expect, test } from 'vitest';
import { count, duration, hoursInWords, roughly } from './dates.ts';
import { areAllBeside, faultsOfFields, messageOf } from './errors.ts';
import { highlightPieces } from './highlight.ts';
import { isPhoneNumber, plainNumber } from './phone-number.ts';
import { utteranceAt, utterancesOf } from './transcript.ts';

test('splits a transcript by speaker and time, as voice processes write it', () => {
  const lines = utterancesOf('[0:00] Agent: Hello, Ada.\n[1:05] Person: Yes, at 9:30.', 130);
  expect(lines).toEqual([
    { speaker: 'agent', text: 'Hello, Ada.', from: 0, to: 0.5 },
    { speaker: 'person', text: 'Yes, at 9:30.', from: 0.5, to: 1 },
  ]);
});

test('splits a transcript without times by speaker, and continues a line without one', () => {
  const lines = utterancesOf('agent: Hello.\nAre you there?\ncallee: Yes, at 9:30.', 20);
  expect(lines.map(({ speaker, text }) => [speaker, text])).toEqual([
    ['agent', 'Hello.\nAre you there?'],
    ['callee', 'Yes, at 9:30.'],
  ]);
  expect(lines[0]?.from).toBe(0);
  expect(lines[1]?.to).toBe(1);
  expect(utteranceAt(lines, 0)).toBe(0);
  expect(utteranceAt(lines, 0.99)).toBe(1);
  expect(utteranceAt(lines, 1)).toBe(1);
  expect(utterancesOf('', 0)).toEqual([]);
});

test('marks matches, and shows markup of a document as text', () => {
  expect(highlightPieces('a &lt;b&gt; <mark>R&amp;D</mark>&quot;')).toEqual([
    { text: 'a <b> ', isFound: false },
    { text: 'R&D', isFound: true },
    { text: '"', isFound: false },
  ]);
});

test('errors are sentences', () => {
  const refused = (status: number, body: unknown) =>
    messageOf(new OutdialError(new Response(null, { status }), body));
  expect(
    refused(422, {
      detail: [{ loc: ['body', 'campaign', 'start_time'], msg: 'Input should be a time', type: 'x' }],
    }),
  ).toBe('Start time: Input should be a time.');
  expect(refused(403, { detail: 'x', code: 'forbidden_role' })).toBe('Your role does not allow this.');
  expect(refused(500, null)).toMatch(/Try again/);
  expect(refused(409, { detail: 'There is no way', code: 'campaign_status' })).toBe('There is no way.');
  expect(messageOf(new TypeError('Failed to fetch'))).toMatch(/cannot be reached/);
});

test('faults are said beside the fields that they belong to, and the others in one place', () => {
  const at = (...loc: string[]) => ({
    loc: ['body', ...loc],
    msg: 'end_date should be after start_date',
    type: 'x',
  });
  const refused = (...detail: object[]) => new OutdialError(new Response(null, { status: 422 }), { detail });
  const fields = ['end_date', 'calls_days'];
  const error = refused(at('end_date'), at('retention', 'calls_days'));
  const sentence = 'End date should be after start date.';
  expect(faultsOfFields(error, fields)).toEqual({ end_date: sentence, calls_days: sentence });
  expect(areAllBeside(error, fields)).toBe(true);
  expect(areAllBeside(refused(at('end_date'), at('agent_id')), fields)).toBe(false);
  expect(areAllBeside(new TypeError('Failed to fetch'), fields)).toBe(false);
});

test('lengths, counts and hours', () => {
  expect([0, 65, 3_725].map(duration)).toEqual(['0:00', '1:05', '1:02:05']);
  expect(count(1_200, 'call', 'en')).toBe('1,200 calls');
  expect([60_000, 10_000_000, 200_000_000].map(roughly)).toEqual([
    'about 1 minute',
    'about 3 hours',
    'about 2 days',
  ]);
  expect(hoursInWords('09:00:00', '17:30:00')).toBe('09:00–17:30');
  expect(hoursInWords('00:00', '24:00')).toBe('all day');
});

test.each([
  ['+49 171 392-0014', '+491713920014'],
  ['+33.6.12.34.56.78', '+33612345678'],
  ['+1 (415) 555-2671', '+14155552671'],
])('a phone number is taken without what stands between its digits: %s', (text, number) => {
  expect(plainNumber(text)).toBe(number);
});

test.each([
  '+49 171 3920012-3',
  '+491713920012 - 13',
  '+491713920012.0',
  '+49 30 231251/52',
  '+15551230000; +15551230001',
])('what may be another number or two is none: %s', (text) => {
  expect(isPhoneNumber(plainNumber(text))).toBe(false);
});
