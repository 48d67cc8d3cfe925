import { expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';
import { idOf } from './contract-client.ts';

const { client, organization } = await apiWorld();
const acme = await organization();
const { manager: key } = acme.keys;
const body = {
  phone_number: '+14155552671',
  basis: 'prior_express',
  source: 'a form',
  given_at: '2024-01-01T00:00:00Z',
};
const add = (json: object) => client.send('POST /api/v1/consents', { key, json });

test('a consent is recorded, listed with its person, and revoked', async () => {
  const added = await add({ ...body, scope: ['marketing', 'marketing'] });
  expect(added.json).toMatchObject({
    data: { basis: 'prior_express', scope: ['marketing'], uses: 0, revoked_at: null },
  });
  const id = idOf(added.json);
  const number = encodeURIComponent(body.phone_number);
  const listed = await client.send(`GET /api/v1/consents?phone_number=${number}`, { key });
  expect(listed.json).toMatchObject({ data: { items: [{ id }] } });
  const revoke = () => client.send(`POST /api/v1/consents/${id}/revoke`, { key, json: { reason: 'asked' } });
  const revoked = await revoke();
  expect(revoked.json).toMatchObject({ data: { id, revocation_reason: 'asked' } });
  expect((await revoke()).json).toEqual(revoked.json);
});

test.each([
  [{ ...body, expires_at: '2024-01-02T00:00:00Z' }, 'expires_at'],
  [{ ...body, given_at: '2099-01-01T00:00:00Z' }, 'given_at'],
  [{ ...body, basis: 'hearsay' }, 'basis'],
  [{ ...body, scope: [] }, 'scope'],
])('%j is 422', async (json, field) => {
  const answer = await add(json);
  expect(answer).toMatchObject({ status: 422, json: { detail: [{ loc: ['body', field] }] } });
});

test('a file is imported row by row, whatever its other columns', async () => {
  const file = [
    'Phone;Basis;Scope;Source;Given_at;Text_shown;Shoe size',
    '+1 415 555 2680;prior_express_written;marketing, service;a form;2024-01-01T00:00:00Z;"You; may";42',
    '415 555 2681;inquiry;;a call;2024-01-01T00:00:00Z;;',
    'nonsense;inquiry;;a call;2024-01-01T00:00:00Z;;',
    '+14155552682;hearsay;;a call;2024-01-01T00:00:00Z;;',
  ].join('\n');
  const form = new FormData();
  form.set('country', 'US');
  form.set('file', new Blob([file], { type: 'text/csv' }), 'consents.csv');
  const answer = await client.send('POST /api/v1/consents/import', { key, body: form });
  expect(answer.json).toMatchObject({
    data: {
      added: 2,
      refused: [
        { line: 4, field: 'phone_number' },
        { line: 5, field: 'basis' },
      ],
    },
  });
  const listed = await client.send('GET /api/v1/consents?phone_number=%2B14155552680', { key });
  expect(listed.json).toMatchObject({
    data: { items: [{ scope: ['marketing', 'service'], text_shown: 'You; may' }] },
  });
});

test('a consent from before the reassignment of its number is marked, until the change is reverted', async () => {
  const phone = '+14155552690';
  const id = idOf((await add({ ...body, phone_number: phone })).json);
  const items = [
    { phone_number: phone, kind: 'reassigned', changed_at: '2024-06-01T00:00:00Z', source: 'a registry' },
    { phone_number: phone, kind: 'sold', changed_at: '2024-06-01T00:00:00Z', source: 'a registry' },
    { phone_number: phone, kind: 'ported', changed_at: '2099-06-01T00:00:00Z', source: 'a registry' },
  ];
  const answer = await client.send('POST /api/v1/number-changes/import', { key, json: { items } });
  expect(answer.json).toMatchObject({
    data: {
      added: 1,
      known: 0,
      refused: [
        { line: 2, field: 'kind' },
        { line: 3, field: 'changed_at' },
      ],
    },
  });
  const form = new FormData();
  const file = 'phone;kind;changed_at;source\n415 555 2690;reassigned;2024-06-01T00:00:00Z;a registry\n';
  form.set('country', 'US');
  form.set('file', new Blob([file], { type: 'text/csv' }), 'changes.csv');
  const again = await client.send('POST /api/v1/number-changes/import', { key, body: form });
  expect(again.json).toMatchObject({ data: { added: 0, known: 1, refused: [] } });
  const query = `phone_number=${encodeURIComponent(phone)}`;
  const changedAt = async () => (await client.send(`GET /api/v1/consents?${query}`, { key })).json;
  expect(await changedAt()).toMatchObject({
    data: { items: [{ id, number_changed_at: '2024-06-01T00:00:00.000Z' }] },
  });
  const listed = await client.send(`GET /api/v1/number-changes?${query}`, { key });
  const [change] = z
    .object({ data: z.object({ items: z.array(z.object({ id: z.string() })) }) })
    .parse(listed.json).data.items;
  await client.send(`DELETE /api/v1/number-changes/${change?.id ?? ''}`, { key });
  expect(await changedAt()).toMatchObject({ data: { items: [{ id, number_changed_at: null }] } });
});

test('the proof of one person has each consent with its revocation, and its reading is logged', async () => {
  const phone = '+14155552700';
  const id = idOf((await add({ ...body, phone_number: phone, text_shown: 'Yes.' })).json);
  await client.send(`POST /api/v1/consents/${id}/revoke`, { key, json: { reason: 'asked' } });
  const later = idOf((await add({ ...body, phone_number: phone })).json);
  const path = `GET /api/v1/people/${encodeURIComponent(phone)}/consents`;
  const proof = await client.send(path, { key });
  expect(proof.json).toMatchObject({
    data: {
      phone_number: phone,
      complete: true,
      consents: [
        { id: later, revoked_at: null, calls: [] },
        { id, text_shown: 'Yes.', revocation_reason: 'asked', calls: [] },
      ],
    },
  });
  const logged = await client.send('GET /api/v1/audit-log?limit=1', { key: acme.keys.admin });
  expect(logged.json).toMatchObject({ data: { items: [{ action: 'proveConsent' }] } });
  expect((await client.send(path, { key: acme.keys.member })).status).toBe(403);
  const stranger = await organization();
  expect((await client.send(path, { key: stranger.keys.manager })).status).toBe(404);
});
