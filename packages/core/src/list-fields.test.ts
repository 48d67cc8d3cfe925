import { expect, test } from 'vitest';
import { fieldsOfRow, listFieldsOf } from './list-fields.ts';

const args = { phone: 'Phone', fields: ['reason', 'note'] };

test('a row is read by its fields, and the other columns are named', () => {
  const cells = new Map(Object.entries({ Number: '7', Phone: '+1', Grund: 'asked', Note: 'n', x: '' }));
  const columns = listFieldsOf([...cells.keys(), ''], { ...args, mapping: { Grund: 'reason', x: null } });
  if ('fault' in columns) throw new Error(columns.fault);
  expect(columns.unused).toEqual(['Number']);
  expect([...fieldsOfRow(cells, columns)]).toEqual([
    ['phone_number', '+1'],
    ['reason', 'asked'],
    ['note', 'n'],
  ]);
});

test.each([
  [['Phone', 'Grund', 'Reason'], { Grund: 'reason' }, 'the columns "Grund" and "Reason" are both reason'],
  [['Phone', 'NOTE', 'note'], {}, 'are both note'],
  [['Phone', 'Grund'], { Grund: 'raeson' }, 'the fields are phone_number, reason, note'],
])('of %j with the mapping %j none is chosen', (names, mapping, fault) => {
  expect(listFieldsOf(names, { ...args, mapping })).toEqual({
    fault: expect.stringContaining(fault) as unknown,
  });
});
