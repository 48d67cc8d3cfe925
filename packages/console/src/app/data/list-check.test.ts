import { OutdialError } from '@outdial/client';
import { expect, test } from 'vitest';
import { notesOf, objectionOf, refusalOf } from './list-check.ts';

const warning = (code: 'would_be_refused' | 'open_at_night' | 'unread_sheets', msg: string) => ({
  code,
  loc: ['body'],
  msg,
});

test('shows that a campaign would be refused, with its people and the reason', () => {
  const full = warning(
    'would_be_refused',
    'The organization can have 1500 recipients in its campaigns and would have 2003',
  );
  expect(refusalOf([warning('open_at_night', 'People are called at night'), full], 2_000, 'en')).toBe(
    'All 2,000 people on the list would be rejected: The organization can have 1500 recipients in its campaigns and would have 2003.',
  );
  expect(refusalOf([full], 1, 'en')).toMatch(/^The person on the list would be rejected: /);
  expect(refusalOf([warning('open_at_night', 'People are called at night')], 2_000)).toBeNull();
});

test('says what the service did not read', () => {
  const sheets = warning('unread_sheets', 'Only the first visible sheet is read. Not read: "South"');
  expect(notesOf([warning('would_be_refused', 'The organization is full'), sheets])).toEqual([
    'Only the first visible sheet is read. Not read: "South".',
  ]);
});

test('an objection to the campaign also counts skipped rows, and names the first', () => {
  const end = {
    loc: ['body', 'campaign', 'end_date'],
    msg: 'end_date should be after start_date',
    type: 'x',
  };
  const rows = Array.from({ length: 100 }, (_, at) => ({
    loc: ['body', 'file', at + 2, 'phone'],
    msg: 'This row has no phone number',
    type: 'x',
  }));
  const rest = {
    loc: ['body', 'file'],
    msg: 'and 1150 more errors like these, which are not listed',
    type: 'x',
  };
  const refused = (...detail: object[]) => new OutdialError(new Response(null, { status: 422 }), { detail });
  expect(objectionOf(refused(end, ...rows, rest), 'en')).toBe(
    'End date: end_date should be after start_date. 1,250 rows would be skipped as well. ' +
      'Line 2: This row has no phone number. Line 3: This row has no phone number. Line 4: This row has no phone number. And 1,247 more.',
  );
  expect(objectionOf(refused(end, ...rows.slice(0, 1)), 'en')).toBe(
    'End date: end_date should be after start_date. 1 row would be skipped as well. Line 2: This row has no phone number.',
  );
  expect(objectionOf(refused(end))).toBe('End date: end_date should be after start_date.');
  expect(objectionOf(new TypeError('Failed to fetch'))).toMatch(/cannot be reached/);
});
