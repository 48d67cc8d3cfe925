import { expect, test } from 'vitest';
import { apiWorld } from './api-world.ts';

const { client, organization } = await apiWorld();

const numbers = ['491713920012', '+49 171 3920014'];
const itemsWith = (fields: object) => ({
  items: numbers.map((phone_number) => ({ phone_number, ...fields })),
});
const given_at = '2026-01-05T09:00:00Z';
const scrubList = { name: 'robinson', source: 'DDV', scrubbed_at: new Date().toISOString() };

test.each<[string, object]>([
  ['suppressions', itemsWith({})],
  ['consents', itemsWith({ basis: 'prior_express', source: 'form', given_at })],
  ['number-changes', itemsWith({ kind: 'ported', source: 'registry', changed_at: given_at })],
  ['scrub-lists', { ...scrubList, complete: false, numbers }],
])('JSON for %s is read as a file is', async (path, json) => {
  const acme = await organization();
  const answer = await client.send(`POST /api/v1/${path}/import`, {
    key: acme.keys.manager,
    json: { ...json, country: 'DE' },
  });
  const reason = expect.stringContaining('+49 ••••••••12 with its country code') as unknown;
  expect(answer.json).toMatchObject({ data: { refused: [{ line: 1, reason }] } });
});

test('a file is read without a country as numbers=international says', async () => {
  const acme = await organization();
  const form = new FormData();
  form.set('numbers', 'international');
  form.set('file', new Blob(['phone\n491713920012\n']), 'people.csv');
  const answer = await client.send('POST /api/v1/suppressions/import', {
    key: acme.keys.manager,
    body: form,
  });
  expect(answer.json).toMatchObject({ data: { added: 1, refused: [] } });
});

test('a list that names a notation comes with a file', async () => {
  const acme = await organization();
  const json = { ...scrubList, complete: true, numbers: 'national' };
  const answer = await client.send('POST /api/v1/scrub-lists/import', { key: acme.keys.manager, json });
  expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ loc: ['body', 'numbers'] }] }]);
});

test('the old Mexican 1 is read in imports', async () => {
  const acme = await organization();
  const send = (path: string, json: object) => client.send(path, { key: acme.keys.manager, json });
  const imported = await send('POST /api/v1/suppressions/import', {
    items: [{ phone_number: '+52 1 55 1234 5678' }],
  });
  expect(imported.json).toMatchObject({ data: { added: 1, refused: [] } });
  expect(await send('POST /api/v1/suppressions', { phone_number: '+525512345678' })).toMatchObject({
    json: { data: { source: 'import' } },
  });
});

test.each([
  ['+5215512345678', '1 after +52'],
  ['+4901713920014', '0 after'],
])(
  'where a number must be E.164, the refusal of %s says what to leave out',
  async (phone_number, message) => {
    const acme = await organization();
    const answer = await client.send('POST /api/v1/erasures', {
      key: acme.keys.admin,
      json: { phone_number },
    });
    expect([answer.status, JSON.stringify(answer.json)]).toEqual([422, expect.stringContaining(message)]);
  },
);
