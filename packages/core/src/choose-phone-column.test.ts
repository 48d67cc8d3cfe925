import { expect, test } from 'vitest';
import { choosePhoneColumn } from './choose-phone-column.ts';

test.each([
  [['Number', 'Name', 'Phone'], 'Phone'],
  [['Account number', 'phone_number', 'Mobile'], 'phone_number'],
  [['Phone Number', 'to'], 'Phone Number'],
  [['to', 'name'], 'to'],
  [['Number', 'Name'], 'Number'],
])('of %j it is %s', (names, name) => {
  expect(choosePhoneColumn(names)).toEqual({ kind: 'found', name });
});

test.each([
  [
    ['Number', 'Mobile'],
    ['Number', 'Mobile'],
  ],
  [
    ['Number', 'Account number'],
    ['Number', 'Account number'],
  ],
  [
    ['to', 'Tel', 'name'],
    ['to', 'Tel'],
  ],
  [
    ['Phone', 'phone_number'],
    ['Phone', 'phone_number'],
  ],
  [
    ['PHONE', 'phone'],
    ['PHONE', 'phone'],
  ],
])('of %j it is unclear', (names, unclear) => {
  expect(choosePhoneColumn(names)).toEqual({ kind: 'unclear', names: unclear });
});

test('a mapping decides, and leaves columns out', () => {
  const names = ['Number', 'Mobile', 'phone'];
  expect(choosePhoneColumn(names, { Mobile: 'phone_number' })).toEqual({ kind: 'found', name: 'Mobile' });
  expect(choosePhoneColumn(names, { phone: null, Mobile: 'mobile' })).toEqual({
    kind: 'found',
    name: 'Number',
  });
  expect(choosePhoneColumn(['Tel', 'name'], {})).toEqual({ kind: 'none' });
  expect(choosePhoneColumn(names, { Mobile: 'phone_number', Number: 'phone_number' }).kind).toBe('unclear');
});
