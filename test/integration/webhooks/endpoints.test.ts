import { randomUUID } from 'node:crypto';
import { createTestDelivery, engineNow, newestEvent, placeEvents, readEvents } from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { waitFor } from '../../support/stack/wait-for.ts';
import { apiWorld } from '../api/api-world.ts';
import { overlapping } from '../engine/by-hand.ts';

const world = await apiWorld();
const { client, db } = world;
const acme = await world.organization();
const other = await world.organization();
const admin = acme.keys.admin;

const endpoints = '/api/v1/webhook-endpoints';
const withSecret = z.object({ data: z.object({ id: z.string(), secret: z.string() }) });

async function createEndpoint(fields: object = {}, key = admin): Promise<{ id: string; secret: string }> {
  const json = { url: 'https://example.com/outdial', ...fields };
  return withSecret.parse((await client.send(`POST ${endpoints}`, { key, json })).json).data;
}

async function happened(organizationId: string, types: readonly string[]): Promise<void> {
  const now = await engineNow(db);
  for (const type of types) {
    await sql`insert into outbox (organization_id, type, created_at) values (${organizationId}, ${type}, ${now})`.execute(
      db,
    );
  }
  await placeEvents(db, { limit: 1_000 });
}

async function waitingForLocks(): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length;
}

/** Deletes an endpoint. Users of the endpoint wait until the deletion is committed. */
async function whileDeleted<T>(endpointId: string, use: () => Promise<T>): Promise<T> {
  const using = await db.transaction().execute(async (tx) => {
    await sql`delete from webhook_endpoints where id = ${endpointId}`.execute(tx);
    const begun = use();
    begun.catch(() => undefined);
    await expect.poll(waitingForLocks).toBeGreaterThan(0);
    return { begun };
  });
  return using.begun;
}

test('operations that take no fields refuse them', async () => {
  const { id } = await createEndpoint();
  const deliveryId = await client.create(`POST ${endpoints}/${id}/test`, { key: admin });
  for (const path of [
    `${endpoints}/${id}/rotate-secret`,
    `${endpoints}/${id}/test`,
    `/api/v1/webhook-deliveries/${deliveryId}/redeliver`,
  ]) {
    const refused = await client.send(`POST ${path}`, { key: admin, json: { overlap_hours: 0 } });
    expect([path, refused.status, refused.json]).toMatchObject([
      path,
      422,
      { detail: [{ loc: ['body', 'overlap_hours'], type: 'extra_forbidden' }] },
    ]);
    expect((await client.send(`POST ${path}`, { key: admin, json: {} })).status).toBe(200);
  }
});

describe('an endpoint', () => {
  test('at a private address is refused on creation and change, with the reason', async () => {
    const { id } = await createEndpoint();
    const json = { url: 'http://169.254.169.254/latest/meta-data' };
    const answers = [
      await client.send(`POST ${endpoints}`, { key: admin, json }),
      await client.send(`PUT ${endpoints}/${id}`, { key: admin, json }),
    ];
    for (const { status, json: said } of answers) {
      expect({ status, said }).toMatchObject({
        status: 422,
        said: { detail: [{ loc: ['body', 'url'], type: 'value_error' }] },
      });
    }
    const read = await client.send(`GET ${endpoints}/${id}`, { key: admin });
    expect(read.json).toMatchObject({ data: { url: 'https://example.com/outdial' } });
  });

  test('that is deleted while events get their position does not block the events of others', async () => {
    const { id } = await createEndpoint();
    await sql`insert into outbox (organization_id, type, created_at) values (${acme.id}, 'call.ended', now())`.execute(
      db,
    );
    const placed = await whileDeleted(id, () => placeEvents(db, { limit: 1_000 }));
    expect(placed.placed).toBe(1);
    expect(placed.endpointIds).not.toContain(id);
  });

  test('stays unlocked while its deliveries are deleted, because the events of others would wait', async () => {
    const { id } = await createEndpoint();
    await happened(acme.id, ['call.ended']);
    const answer = await overlapping(
      db,
      (tx) => sql`select from webhook_deliveries where endpoint_id = ${id} for update`.execute(tx),
      () => client.send(`DELETE ${endpoints}/${id}`, { key: admin }),
      // As the events of all organizations do.
      (tx) => sql`select from webhook_endpoints where id = ${id} for key share nowait`.execute(tx),
    );
    expect(answer).toMatchObject({ status: 200, json: { data: { id, enabled: false } } });
    expect((await client.send(`GET ${endpoints}/${id}`, { key: admin })).status).toBe(404);
  });

  test.each([
    ['a delivery is sent once more', 'POST /api/v1/webhook-deliveries/{delivery}/redeliver', undefined],
    ['it is tested', `POST ${endpoints}/{endpoint}/test`, undefined],
    ['it gets what it missed', `POST ${endpoints}/{endpoint}/redeliver`, { since: '2026-01-01T00:00:00Z' }],
  ])('that is deleted while %s is gone: 404', async (_, label, json) => {
    const { id } = await createEndpoint();
    await happened(acme.id, ['call.ended']);
    const delivery = db.selectFrom('webhook_deliveries').select('id').where('endpoint_id', '=', id);
    const path = label
      .replace('{endpoint}', id)
      .replace('{delivery}', (await delivery.executeTakeFirstOrThrow()).id);
    const answer = await whileDeleted(id, () => client.send(path, { key: admin, json }));
    expect(answer.status).toBe(404);
  });

  test('shows its secret once, on creation', async () => {
    const { id, secret } = await createEndpoint({ events: ['call.ended', 'call.ended'], description: 'CRM' });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const read = await client.send(`GET ${endpoints}/${id}`, { key: admin });
    expect(read.json).toMatchObject({
      data: {
        id,
        url: 'https://example.com/outdial',
        events: ['call.ended'],
        description: 'CRM',
        enabled: true,
      },
    });
    expect(read.bytes.toString()).not.toContain('whsec_');
    const list = await client.send(`GET ${endpoints}`, { key: admin });
    expect(list.bytes.toString()).not.toContain('whsec_');
  });

  test('is created once for an Idempotency-Key', async () => {
    const request = {
      key: admin,
      json: { url: 'https://example.com/once' },
      headers: { 'Idempotency-Key': randomUUID() },
    };
    const first = await client.send(`POST ${endpoints}`, request);
    const again = await client.send(`POST ${endpoints}`, request);
    const made = withSecret.parse(first.json).data;
    expect(again.json).toMatchObject({ data: { id: made.id, secret: null } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const rotation = { key: admin, headers: request.headers };
    const rotated = await client.send(`POST ${endpoints}/${made.id}/rotate-secret`, rotation);
    const rotatedAgain = await client.send(`POST ${endpoints}/${made.id}/rotate-secret`, rotation);
    expect(rotatedAgain.json).toMatchObject({ data: { id: made.id, secret: null } });
    const kept = JSON.stringify(await db.selectFrom('idempotency_keys').selectAll().execute());
    expect(kept).toContain(made.id);
    expect(kept).not.toContain(made.secret);
    const { secret } = withSecret.parse(rotated.json).data;
    expect(secret).not.toBe(made.secret);
    expect(kept).not.toContain(secret);
  });

  test('changes the named fields, and is deleted', async () => {
    const { id } = await createEndpoint({ description: 'kept' });
    const changed = await client.send(`PUT ${endpoints}/${id}`, { key: admin, json: { enabled: false } });
    expect(changed.json).toMatchObject({ data: { id, enabled: false, description: 'kept', events: ['*'] } });
    expect((await client.send(`DELETE ${endpoints}/${id}`, { key: admin })).status).toBe(200);
    expect((await client.send(`GET ${endpoints}/${id}`, { key: admin })).status).toBe(404);
  });

  test.each([
    [{}, 'url'],
    [{ url: 'ftp://example.com' }, 'url'],
    [{ url: 'https://me:secret@example.com' }, 'url'], // secretlint-disable-line -- made up
    [{ url: `https://example.com/${'a'.repeat(2_000)}` }, 'url'],
    [{ url: 'https://example.com', events: [] }, 'events'],
    [{ url: 'https://example.com', events: ['call.exploded'] }, 'events'],
  ])('%j is a 422 that names the field', async (json, field) => {
    const answer = await client.send(`POST ${endpoints}`, { key: admin, json });
    expect(answer.status).toBe(422);
    const { detail } = answer.json as { detail: Array<{ loc: string[] }> };
    expect(detail[0]?.loc.slice(0, 2)).toEqual(['body', field]);
  });

  test('is the 21st of an organization: 409', async () => {
    const full = await world.organization();
    for (let n = 0; n < 20; n++) await createEndpoint({}, full.keys.admin);
    const answer = await client.send(`POST ${endpoints}`, {
      key: full.keys.admin,
      json: { url: 'https://example.com' },
    });
    expect([answer.status, answer.json]).toMatchObject([409, { code: 'too_many_webhook_endpoints' }]);
  });
});

describe('deliveries', () => {
  test('of a test wait at once, and can be sent again', async () => {
    const { id } = await createEndpoint();
    const test = await client.send(`POST ${endpoints}/${id}/test`, { key: admin });
    const { data } = test.json as { data: { id: string } };
    expect(data).toMatchObject({
      endpoint_id: id,
      event_type: 'webhook.test',
      status: 'pending',
      attempts: 0,
    });
    const redeliver = () =>
      client.send(`POST /api/v1/webhook-deliveries/${data.id}/redeliver`, { key: admin });
    const pending = () => client.send(`GET ${endpoints}/${id}/deliveries?status=pending`, { key: admin });
    // It waits already.
    expect((await redeliver()).json).toMatchObject({ data: { id: data.id } });
    expect((await pending()).json).toMatchObject({ data: { items: [{ id: data.id }], next_cursor: null } });
    await sql`update webhook_deliveries set status = 'delivered', next_attempt_at = null where id = ${data.id}`.execute(
      db,
    );
    const again = await redeliver();
    expect(again.json).toMatchObject({ data: { endpoint_id: id, event_type: 'webhook.test' } });
    const { id: againId } = (again.json as { data: { id: string } }).data;
    expect(againId).not.toBe(data.id);
    // Not twice while it waits.
    expect((await redeliver()).json).toMatchObject({ data: { id: againId } });
    expect((await pending()).json).toMatchObject({ data: { items: [{ id: againId }], next_cursor: null } });
    const none = await client.send(`GET ${endpoints}/${id}/deliveries?status=failed`, { key: admin });
    expect(none.json).toMatchObject({ data: { items: [] } });
  });

  test('of a test do not make readers skip events that are getting lower positions', async () => {
    const { id: organizationId, keys } = await world.organization();
    const { id } = await createEndpoint({}, keys.admin);
    await sql`insert into outbox (organization_id, type, created_at) values (${organizationId}, 'call.ended', engine_now())`.execute(
      db,
    );
    let newest = '';
    const tests: Array<Promise<{ status: number }>> = [];
    // Placing has drawn a position, and waits for the row.
    await overlapping(
      db,
      (tx) => sql`select from outbox where organization_id = ${organizationId} for update`.execute(tx),
      () => placeEvents(db, { limit: 1_000 }),
      async () => {
        const tested = client.send(`POST ${endpoints}/${id}/test`, { key: keys.admin });
        tests.push(tested);
        const waits = waitFor('the test to wait too', async () => (await waitingForLocks()) > 1);
        waits.catch(() => undefined);
        await Promise.race([tested, waits]);
        newest = (await newestEvent(db, organizationId)).position;
      },
    );
    expect(await Promise.all(tests)).toMatchObject([{ status: 200 }]);
    const later = await readEvents(db, { organizationId, after: newest, types: null, limit: 10 });
    expect(later.map(({ type }) => type)).toEqual(['call.ended']);
  });

  test('of a test do not stop the events of others from getting their position', async () => {
    const { id } = await createEndpoint();
    const tested = await world.organization();
    const { id: testedId } = await createEndpoint({}, tested.keys.admin);
    await placeEvents(db, { limit: 1_000 });
    await sql`insert into outbox (organization_id, type, created_at) values (${acme.id}, 'call.ended', engine_now())`.execute(
      db,
    );
    const placed = await overlapping(
      db,
      (tx) => createTestDelivery(tx, { organizationId: tested.id, endpointId: testedId }),
      () => placeEvents(db, { limit: 1_000 }),
    );
    expect(placed.placed).toBe(1);
    expect(placed.endpointIds).toContain(id);
  });

  test('of a test are in no list of events, and for no other endpoint', async () => {
    const { keys } = await world.organization();
    const { id } = await createEndpoint({}, keys.admin);
    const { id: otherId } = await createEndpoint({}, keys.admin);
    await client.send(`POST ${endpoints}/${id}/test`, { key: keys.admin });
    const json = { since: '2020-01-01T00:00:00Z' };
    const sent = await client.send(`POST ${endpoints}/${otherId}/redeliver`, { key: keys.admin, json });
    expect(sent.json).toMatchObject({ data: { deliveries: 0 } });
    const events = await client.send('GET /api/v1/events', { key: keys.admin });
    expect(events.json).toMatchObject({ data: { items: [] } });
  });

  test('since an instant are the ones that the endpoint has not received', async () => {
    const { id: organizationId, keys } = await world.organization();
    await happened(organizationId, ['call.ended', 'campaign.finished']);
    const { id } = await createEndpoint({ events: ['call.ended'] }, keys.admin);
    await happened(organizationId, ['call.ended']);
    const json = { since: '2020-01-01T00:00:00Z' };
    const first = await client.send(`POST ${endpoints}/${id}/redeliver`, { key: keys.admin, json });
    expect(first.json).toMatchObject({ data: { deliveries: 1, more: false } });
    const again = await client.send(`POST ${endpoints}/${id}/redeliver`, { key: keys.admin, json });
    expect(again.json).toMatchObject({ data: { deliveries: 0, more: false } });
  });
});

describe('GET /events', () => {
  test('continues after the last read event, and misses none', async () => {
    const { id: organizationId, keys } = await world.organization();
    await happened(other.id, ['call.ended']);
    await happened(organizationId, ['call.started', 'call.ended', 'campaign.finished']);
    const read = async (query: string) => {
      const answer = await client.send(`GET /api/v1/events${query}`, { key: keys.viewer });
      return (
        answer.json as { data: { items: Array<{ id: string; type: string }>; next_cursor: string | null } }
      ).data;
    };
    const all = await read('');
    expect(all.items.map((event) => event.type)).toEqual(['call.started', 'call.ended', 'campaign.finished']);
    const page = await read('?limit=2');
    expect(page.items.length).toBe(2);
    expect((await read(`?limit=2&cursor=${page.next_cursor}`)).items).toEqual(all.items.slice(2));
    const last = all.items.at(-1)?.id;
    expect((await read(`?after=${last}`)).items).toEqual([]);
    await happened(organizationId, ['call.ended']);
    expect((await read(`?after=${last}`)).items.map((event) => event.type)).toEqual(['call.ended']);
    expect((await read('?types=campaign.finished')).items.map((event) => event.type)).toEqual([
      'campaign.finished',
    ]);
  });

  test.each(['?types=call.exploded', '?limit=0', `?after=${randomUUID()}`, '?after=1', '?cursor=x'])(
    '%s is a 422',
    async (query) => {
      expect((await client.send(`GET /api/v1/events${query}`, { key: admin })).status).toBe(422);
    },
  );
});
