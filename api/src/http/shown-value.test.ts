import type { ValidationErrorEntry } from '@outdial/contracts';
import { expect, test } from 'vitest';
import { withShownValue } from './shown-value.ts';

const rule = 'Input should be right';
const said = (
  loc: Array<string | number>,
  input: unknown,
  type: ValidationErrorEntry['type'] = 'value_error',
) => withShownValue({ loc: ['body', ...loc], msg: rule, type }, input).msg;

test.each<[string, Array<string | number>, unknown, string]>([
  ['text', ['status'], { status: 'runing' }, `${rule}, not "runing"`],
  ['a number', ['size'], { size: 101 }, `${rule}, not 101`],
  ['null', ['size'], { size: null }, `${rule}, not null`],
  ['a list', ['name'], { name: ['x'] }, `${rule}, not a list`],
  ['a long text, cut', ['name'], { name: 'x'.repeat(50) }, `${rule}, not "${'x'.repeat(40)}…"`],
  [
    'a phone number, masked',
    ['phone_numbers', 0],
    { phone_numbers: ['+1 555 0100'] },
    `${rule}, not "+• ••• ••00"`,
  ],
  [
    'a phone number that is not a string, masked',
    ['phone_numbers', 0],
    { phone_numbers: [15550100123] },
    `${rule}, not •••••••••23`,
  ],
  [
    'a prompt value, masked',
    ['prompt_params', 'name'],
    { prompt_params: { name: 'Ada' } },
    `${rule}, not "•da"`,
  ],
  [
    "a recipient's time zone",
    ['recipients', '+1', 'timezone'],
    { recipients: { '+1': { timezone: 'EST' } } },
    `${rule}, not "EST"`,
  ],
  ['no secret', ['secret'], { secret: 'whsec_x' }, rule],
  ['nothing where there is nothing', ['name'], {}, rule],
])('shows %s', (_, loc, input, message) => {
  expect(said(loc, input)).toBe(message);
});

test('reports the length of a text before the hint', () => {
  expect(said(['name'], { name: 'x'.repeat(300) }, 'string_too_long')).toBe(`${rule}, not 300`);
  const hinted = { loc: ['body', 'zone'], msg: `${rule}; perhaps that`, type: 'value_error' as const };
  expect(withShownValue(hinted, { zone: 'EST' }).msg).toBe(`${rule}, not "EST"; perhaps that`);
});
