import { engineNow, placeEvents } from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { apiWorld } from '../api/api-world.ts';

const world = await apiWorld();
const { client, db } = world;

async function happened(organizationId: string, count: number): Promise<void> {
  const now = await engineNow(db);
  await sql`
    insert into outbox (organization_id, type, created_at)
    select ${organizationId}, 'call.ended', ${now} from generate_series(1, ${count}::int)`.execute(db);
}

async function waiting(organizationId: string): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from outbox where organization_id = ${organizationId} and position is null`.execute(
    db,
  );
  return rows[0]?.waiting ?? 0;
}

async function later(seconds: number): Promise<void> {
  await sql`update engine_clock set offset_ms = offset_ms + ${seconds * 1_000}`.execute(db);
}

const read = async (key: string) =>
  (await client.send('GET /api/v1/events?limit=100', { key })).json as { data: { items: object[] } };

test('events without a reader get their position in spare time', async () => {
  const acme = await world.organization();
  await happened(acme.id, 30);
  expect(await placeEvents(db, { limit: 1_000, spare: 20 })).toMatchObject({ placed: 20, isFull: false });
  expect(await waiting(acme.id)).toBe(10);
  await placeEvents(db, { limit: 1_000, spare: 20 });
  expect(await waiting(acme.id)).toBe(0);
});

test('the first reader finds them, and later events get their position at once', async () => {
  const acme = await world.organization();
  await happened(acme.id, 3);
  expect((await read(acme.keys.viewer)).data.items).toHaveLength(3);
  await happened(acme.id, 2);
  await placeEvents(db, { limit: 1_000, spare: 0 });
  expect((await read(acme.keys.viewer)).data.items).toHaveLength(5);
});

test('an organization that has not read for a month counts as a reader no longer', async () => {
  const acme = await world.organization();
  await read(acme.keys.viewer);
  await later(29 * 86_400);
  await read(acme.keys.viewer);
  await later(29 * 86_400);
  await happened(acme.id, 1);
  await placeEvents(db, { limit: 1_000, spare: 0 });
  expect(await waiting(acme.id)).toBe(0);
  await later(2 * 86_400);
  await happened(acme.id, 1);
  await placeEvents(db, { limit: 1_000, spare: 0 });
  expect(await waiting(acme.id)).toBe(1);
});

test('an organization with many events does not delay others', async () => {
  const many = await world.organization();
  const few = await world.organization();
  await read(many.keys.viewer);
  await read(few.keys.viewer);
  await happened(many.id, 100);
  await happened(few.id, 5);
  expect(await placeEvents(db, { limit: 20, spare: 0 })).toMatchObject({ placed: 15, isFull: true });
  expect(await waiting(few.id)).toBe(0);
});

test('events whose endpoints have a backlog wait until it is sent, or another reader exists', async () => {
  const acme = await world.organization();
  const created = await client.send('POST /api/v1/webhook-endpoints', {
    key: acme.keys.admin,
    json: { url: 'https://hooks.example.com/outdial', events: ['call.ended'] },
  });
  expect(created.status).toBe(200);
  const round = () => placeEvents(db, { limit: 3, spare: 0 });
  const deliver = (count: number) =>
    sql`update webhook_deliveries set status = 'delivered', next_attempt_at = null where id in (
      select id from webhook_deliveries where organization_id = ${acme.id} and status = 'pending' limit ${count})`.execute(
      db,
    );
  await placeEvents(db, { limit: 1_000, spare: 1_000 });
  await happened(acme.id, 9);
  expect(await round()).toMatchObject({ placed: 3, isFull: true });
  expect(await round()).toMatchObject({ placed: 0, isFull: false });
  await deliver(1);
  expect(await round()).toMatchObject({ placed: 3 });
  expect(await waiting(acme.id)).toBe(3);
  await read(acme.keys.viewer);
  expect(await waiting(acme.id)).toBe(0);
  await happened(acme.id, 2);
  await round();
  expect(await waiting(acme.id)).toBe(0);
});

test('events after a backlog are stored for an endpoint that is disabled meanwhile', async () => {
  const acme = await world.organization();
  const key = acme.keys.admin;
  const created = await client.send('POST /api/v1/webhook-endpoints', {
    key,
    json: { url: 'https://hooks.example.com/outdial', events: ['call.ended'] },
  });
  const { id } = (created.json as { data: { id: string } }).data;
  await placeEvents(db, { limit: 1_000, spare: 1_000 });
  await happened(acme.id, 9);
  const round = () => placeEvents(db, { limit: 3, spare: 0 });
  await round();
  await client.send(`PUT /api/v1/webhook-endpoints/${id}`, { key, json: { enabled: false } });
  await later(1);
  await happened(acme.id, 2);
  for (let n = 0; n < 4; n += 1) await round();
  expect(await waiting(acme.id)).toBe(0);
  const kept = await db.selectFrom('webhook_deliveries').select('id').where('endpoint_id', '=', id).execute();
  expect(kept).toHaveLength(9);
});

test('a new endpoint gets earlier events only on request', async () => {
  const acme = await world.organization();
  const since = await engineNow(db);
  await happened(acme.id, 2);
  await later(1);
  const create = async (url: string) => {
    const answer = await client.send('POST /api/v1/webhook-endpoints', {
      key: acme.keys.admin,
      json: { url },
    });
    return (answer.json as { data: { id: string } }).data.id;
  };
  const [quiet, asking] = [
    await create('https://example.com/quiet'),
    await create('https://example.com/asking'),
  ];
  const again = await client.send(`POST /api/v1/webhook-endpoints/${asking}/redeliver`, {
    key: acme.keys.admin,
    json: { since: since.toISOString() },
  });
  expect(again.status).toBe(200);
  await placeEvents(db, { limit: 1_000, spare: 0 });
  const { rows } = await sql<{ endpoint_id: string; count: number }>`
    select endpoint_id, count(*)::int from webhook_deliveries group by endpoint_id`.execute(db);
  expect(rows.find((row) => row.endpoint_id === quiet)).toBeUndefined();
  expect(rows.find((row) => row.endpoint_id === asking)?.count).toBe(2);
});
