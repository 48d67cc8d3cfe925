import { deleteExpiredSuppressions } from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { workbook } from '../../../packages/sheets/src/workbook.fixture.ts';
import { apiWorld } from './api-world.ts';
import { idOf } from './contract-client.ts';
import { someText } from './matchers.ts';

const { client, db, organization } = await apiWorld();
const acme = await organization();
const agentId = await acme.agent();
const list = z.object({ data: z.object({ items: z.array(z.object({ phone_number: z.string() })) }) });

const add = (json: object, key = acme.keys.member) => client.send('POST /api/v1/suppressions', { key, json });

async function listed(query = ''): Promise<string[]> {
  const answer = await client.send(`GET /api/v1/suppressions${query}`, { key: acme.keys.viewer });
  return list.parse(answer.json).data.items.map((item) => item.phone_number);
}

const call = (toPhone: string) =>
  client.send(`POST /api/v1/agents/${agentId}/call`, { key: acme.keys.member, json: { to_phone: toPhone } });

describe('POST /suppressions', () => {
  test('returns the entry, and the number is no longer called', async () => {
    const answer = await add({ phone_number: '+15551230001', reason: 'asked for it', note: 'by mail' });
    expect(answer.json).toEqual({
      message: 'Data created correctly',
      meta: {},
      data: {
        phone_number: '+15551230001',
        reason: 'asked for it',
        source: 'api',
        note: 'by mail',
        created_by: { id: acme.userId, first_name: 'Ada', last_name: 'Lovelace' },
        created_at: someText,
        expires_at: null,
      },
    });
    expect((await call('+15551230001')).json).toMatchObject({ code: 'number_suppressed' });
  });

  test('again: replaces the entry, which is permanent without an end', async () => {
    await add({ phone_number: '+15551230002', reason: 'moved', expires_at: '2099-01-01T00:00:00Z' });
    const again = await add({ phone_number: '+15551230002', note: 'called twice' });
    expect(again.json).toMatchObject({ data: { reason: 'moved', note: 'called twice', expires_at: null } });
  });

  test('lets no member end a suppression sooner, which only a manager may take off the list', async () => {
    const soon = '2098-01-01T00:00:00.000Z';
    const later = '2099-01-01T00:00:00.000Z';
    const number = { phone_number: '+15551230012' };
    await add(number);
    expect(await add({ ...number, expires_at: later })).toMatchObject({
      status: 403,
      json: { code: 'forbidden_role' },
    });
    const asManager = await add({ ...number, expires_at: later }, acme.keys.manager);
    expect(asManager.json).toMatchObject({ data: { expires_at: later } });
    expect((await add({ ...number, expires_at: soon })).status).toBe(403);
    expect((await add({ ...number, reason: 'asked again' })).json).toMatchObject({
      data: { reason: 'asked again', expires_at: null },
    });
    expect((await call(number.phone_number)).json).toMatchObject({ code: 'number_suppressed' });
  });

  test('logs that a reason was given, without the words, which an erasure could not remove', async () => {
    const number = { phone_number: '+15551230013' };
    await add(number);
    await add({ ...number, reason: 'Zora wrote to us' });
    const log = await client.send('GET /api/v1/audit-log?limit=1', { key: acme.keys.admin });
    expect(log.json).toMatchObject({
      data: { items: [{ changes: { has_reason: { before: false, after: true } } }] },
    });
    expect(log.bytes.toString()).not.toContain('Zora');
  });

  test('a call that waits for the number in a carrier’s queue is looked at at once', async () => {
    const id = idOf((await call('+15551230003')).json);
    const now = new Date();
    const later = new Date(Date.now() + 3_600_000);
    await db
      .updateTable('calls')
      .set({
        phase: 'placing',
        gated_at: now,
        accepted_at: now,
        check_at: later,
        line_held: true,
        queue_deadline_at: null,
      })
      .where('id', '=', id)
      .execute();
    await add({ phone_number: '+15551230003' });
    const { check_at: checkAt } = await db
      .selectFrom('calls')
      .select('check_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(checkAt?.getTime()).toBeLessThan(later.getTime());
  });

  test.each([
    [{ phone_number: '+15551230004', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'value_error'],
    [{ phone_number: '+15551230004', until: 'x' }, 'until', 'extra_forbidden'],
  ])('%j is 422', async (json, field, type) => {
    const answer = await add(json);
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ['body', field], type }] });
  });
});

test('an expired entry leaves the list, and its number may be called', async () => {
  await add({ phone_number: '+15551230005', expires_at: '2099-01-01T00:00:00Z' });
  expect((await call('+15551230005')).status).toBe(409);
  await db
    .updateTable('suppressions')
    .set({ expires_at: new Date(Date.now() - 1) })
    .where('phone_number', '=', '+15551230005')
    .execute();
  expect(await listed()).not.toContain('+15551230005');
  expect(await deleteExpiredSuppressions(db, 10)).toBe(1);
  expect((await call('+15551230005')).status).toBe(200);
});

test('a number whose entry has expired is added like a new one, with its source and an event', async () => {
  const number = '+15551230015';
  await add({ phone_number: number, source: 'form', expires_at: '2099-01-01T00:00:00Z' });
  await db
    .updateTable('suppressions')
    .set({ expires_at: new Date(Date.now() - 1) })
    .where('phone_number', '=', number)
    .execute();
  expect((await add({ phone_number: number, source: 'letter' })).json).toMatchObject({
    data: { source: 'letter', expires_at: null },
  });
  const { rows } = await sql`
    select from outbox where type = 'suppression.added' and data ->> 'phone_number' = ${number}`.execute(db);
  expect(rows).toHaveLength(2);
});

describe('DELETE /suppressions/{phone_number}', () => {
  const remove = (number: string) =>
    client.send(`DELETE /api/v1/suppressions/${number}`, { key: acme.keys.manager });

  test('takes the number off the list, with its plus sign encoded or not', async () => {
    await add({ phone_number: '+15551230006' });
    await add({ phone_number: '+15551230007' });
    expect((await remove('+15551230006')).json).toMatchObject({ data: { phone_number: '+15551230006' } });
    expect((await remove('%2B15551230007')).status).toBe(200);
    expect((await remove('+15551230006')).status).toBe(404);
    expect((await remove('nonsense')).status).toBe(404);
    expect((await call('+15551230006')).status).toBe(200);
  });
});

describe('POST /suppressions/import', () => {
  test('adds valid rows and names the others, without their numbers', async () => {
    const answer = await client.send('POST /api/v1/suppressions/import', {
      key: acme.keys.manager,
      json: {
        items: [
          { phone_number: '+1 (555) 123-0020', reason: 'list of 2026' },
          { phone_number: '+15551230020' },
          { phone_number: '030 12345678' },
          { phone_number: 'call me' },
        ],
        country: 'DE',
      },
    });
    expect(answer.json).toMatchObject({
      data: {
        added: 2,
        known: 0,
        refused: [
          {
            line: 4,
            phone_number: '•••',
            reason: expect.stringContaining('invalid phone number') as unknown,
          },
        ],
      },
    });
    expect(await listed('?phone_number=%2B493012345678')).toEqual(['+493012345678']);
  });

  test('refuses rows that would protect nobody, and texts that it would have to cut', async () => {
    const past = '2020-01-01T00:00:00Z';
    const lines = [
      'phone,reason,note,expires_at',
      `+15551230050,,,${past}`,
      `+15551230051,${'x'.repeat(500)}😀,,`,
      `+15551230052,,${'x'.repeat(2_000)}😀,`,
      `+15551230053${' '.repeat(100)}/ +15551230054,,,`,
      '+15551230055,asked,by mail,2099-01-01T00:00:00Z',
      `+15551230057,${'x'.repeat(499)}😀,,`,
    ];
    const form = new FormData();
    form.set('file', new Blob([lines.join('\n')], { type: 'text/csv' }), 'stop.csv');
    form.set('source', 'old crm');
    const key = acme.keys.manager;
    const answer = await client.send('POST /api/v1/suppressions/import', { key, body: form });
    const reason = (text: string) => expect.stringContaining(text) as unknown;
    expect(answer.json).toMatchObject({
      data: {
        rows: 6,
        added: 2,
        refused: [
          { line: 2, phone_number: '+1•••50', reason: reason('expires_at should be in the future') },
          { line: 3, reason: reason('reason: String should have at most 500 characters') },
          { line: 4, reason: reason('note: String should have at most 2000 characters') },
          { line: 5 },
        ],
      },
    });
    const taken = await client.send('GET /api/v1/suppressions?phone_number=%2B15551230055', { key });
    expect(taken.json).toMatchObject({
      data: { items: [{ reason: 'asked', note: 'by mail', source: 'old crm' }] },
    });
    const items = [
      { phone_number: '+15551230050', expires_at: past },
      { phone_number: '+15551230056' },
      { phone_number: '+15551230058', reason: `${'x'.repeat(500)}😀` },
      { phone_number: '+15551230058', expires_at: '2099-01-01' },
      { phone_number: '+15551230058', reasons: 'asked' },
      { phone_number: 15551230058 },
      { reason: 'asked' },
    ];
    const ofItems = await client.send('POST /api/v1/suppressions/import', { key, json: { items } });
    expect(ofItems.json).toMatchObject({
      data: {
        rows: 7,
        added: 1,
        refused: [
          { line: 1, phone_number: '+1•••50', reason: reason('expires_at should be in the future') },
          {
            line: 3,
            phone_number: '+1•••58',
            reason: reason('reason: String should have at most 500 characters'),
          },
          { line: 4, phone_number: '+1•••58', reason: reason('expires_at') },
          { line: 5, phone_number: '+1•••58', reason: reason('reasons') },
          { line: 6, phone_number: '•••', reason: reason('phone_number') },
          { line: 7, phone_number: '•••', reason: reason('has no phone number') },
        ],
      },
    });
  });

  test('takes the rows that a filter hides too, and says so', async () => {
    const rows = [['phone'], ['+15551230040'], ['+15551230041']];
    const form = new FormData();
    form.set('file', new Blob([Uint8Array.from(workbook(rows, { hiddenLines: [2] }))]), 'stop.xlsx');
    const key = acme.keys.manager;
    const answer = await client.send('POST /api/v1/suppressions/import', { key, body: form });
    expect(answer.json).toMatchObject({
      meta: { warnings: [{ code: 'hidden_rows' }] },
      data: { added: 2, refused: [] },
    });
  });

  test('never shortens a suppression', async () => {
    await add({ phone_number: '+15551230021' });
    await client.send('POST /api/v1/suppressions/import', {
      key: acme.keys.manager,
      json: { items: [{ phone_number: '+15551230021', expires_at: '2099-01-01T00:00:00Z' }] },
    });
    const read = await client.send('GET /api/v1/suppressions?phone_number=%2B15551230021', {
      key: acme.keys.viewer,
    });
    expect(read.json).toMatchObject({ data: { items: [{ expires_at: null }] } });
  });
});
