import { expect, test } from 'vitest';
import { choosePhoneColumn } from './choose-phone-column.ts';
import { phoneColumnOf } from './phone-column.ts';

test.each([
  [['Number', 'Name', 'Phone'], 'Phone'],
  [['Account number', 'phone_number', 'Mobile'], 'phone_number'],
  [['Phone Number', 'to'], 'Phone Number'],
  [['to', 'name'], 'to'],
  [['Number', 'Name'], 'Number'],
  [['Number', 'Last contact', 'Contact notes'], 'Number'],
  [['Number', 'Contact name', 'Rufname', 'Tell us', 'Ceremony', 'Total'], 'Number'],
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
    ['Number', 'Contact'],
    ['Number', 'Contact'],
  ],
  [
    ['Number', 'Ph No'],
    ['Number', 'Ph No'],
  ],
  [
    ['To', 'Ph#', 'From'],
    ['To', 'Ph#'],
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

test('a column that the sheet hides is only chosen by a mapping', () => {
  const names = ['Phone', 'Number', 'Mobile'];
  const chosen = (hiddenColumns: readonly string[], mapping = {}) =>
    phoneColumnOf({ line: 1, names, hiddenColumns }, { mapping, numbering: {}, door: 'api' });
  expect(chosen(['Phone'])).toMatchObject({ setting: 'mapping' });
  expect(chosen(['Phone', 'Mobile'])).toMatchObject({ name: 'Number' });
  expect(chosen(['Phone'], { Phone: 'phone_number' })).toMatchObject({ name: 'Phone' });
  expect(chosen(['Phone', 'Number'])).toEqual({
    setting: 'file',
    fault: expect.stringContaining('number that the sheet shows') as unknown,
  });
});

test.each([
  [
    'Mob',
    'Mob.',
    'mobNo',
    'Contact',
    'Contact No.',
    'Kontakt',
    'Home tel',
    'Tel privat',
    'Tél. domicile',
    'Telefoon',
  ],
  [
    'Telemóvel',
    'Celular',
    'Cel',
    'Cell 2',
    'Cellulare',
    'Móvil',
    'Teléfono',
    'portable',
    'Tlf',
    'Puhelin',
    'Komórka',
  ],
  ['Rufnr.', 'Fon', 'GSM', 'MSISDN', 'WhatsApp', 'Whats app', 'Landline', 'Fax', 'Mobile', 'Numéro'],
  ['电话', '電話番号', '手机号', '携帯', '전화번호', '휴대폰', 'Телефон', 'Моб. тел.'],
])('Number is not chosen beside %s, %s, %s …', (...names) => {
  for (const name of names) {
    const both = ['Number', name];
    expect(choosePhoneColumn(both)).toEqual({ kind: 'unclear', names: both });
  }
});
