import { expect, test } from 'vitest';
import { callTitle, missingNumber } from './call-number.ts';

const number = '+15551230000';

test.each([
  ['Call to +15551230000', 'phone_outbound', number, { name: 'Ada' }],
  ['Call to an erased number', 'phone_outbound', null, null],
  ['Call to an erased number', 'phone_outbound', null, {}],
  ['Call from +15551230000', 'phone_inbound', number, {}],
  ['Call from a withheld number', 'phone_inbound', null, {}],
  ['Call from an erased number', 'phone_inbound', null, null],
  ['Call in the browser', 'web', null, {}],
  ['Call in the browser', 'web', null, null],
] as const)('%s', (title, provider, phone_number, prompt_params) => {
  expect(callTitle({ provider, phone_number, prompt_params })).toBe(title);
});

test('a list shows that a call was in the browser', () => {
  expect(missingNumber({ provider: 'web', phone_number: null, prompt_params: {} })).toBe('in the browser');
});
