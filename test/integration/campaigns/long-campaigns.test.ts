import { connect as connectSocket, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { apiWorld } from '../api/api-world.ts';
import { campaignOf, createPaused } from './campaign-requests.ts';

const { client, db, organization } = await apiWorld({ config: { jsonBodyLimitBytes: 64 * 1024 * 1024 } });
const sockets: Socket[] = [];
afterAll(() => sockets.forEach((socket) => socket.destroy()));

function manyNumbers(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `+1555${String(1_000_000 + index)}`);
}

/** Sends a request and reads only the beginning of the answer. */
async function readSlowly(path: string, key: string): Promise<string> {
  const { hostname, port } = new URL(client.base);
  const socket = connectSocket(Number(port), hostname);
  sockets.push(socket);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
  const head = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  socket.pause();
  return head.toString().slice(9, 12);
}

describe('callers who take a long list slowly', () => {
  test('hold no database connection, and are limited', async () => {
    const acme = await organization();
    const { id } = await createPaused(client, acme, { phone_numbers: manyNumbers(6_000) });
    // An answer of this size does not fit into the buffers of a connection.
    await sql`update campaigns set recipient_params = convert_to('{"x": "' || repeat('x', 30000000) || '"}', 'UTF8')
      where id = ${id}`.execute(db);
    const path = `/api/v1/campaigns/${id}`;
    const slow = await Promise.all([1, 2, 3, 4].map(() => readSlowly(path, acme.keys.viewer)));
    expect(slow).toEqual(['200', '200', '200', '200']);
    const busy = async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where application_name = 'api-test' and datname = current_database() and state like 'idle in transaction%'`.execute(
        db,
      );
      return rows.length;
    };
    await expect.poll(busy).toBe(0);

    const fifth = await client.send(`GET ${path}`, { key: acme.keys.viewer });
    expect([fifth.status, fifth.headers.get('retry-after')]).toEqual([429, '5']);
    // The campaign can still be paused and canceled, and other callers can read.
    const cancel = { key: acme.keys.manager, json: { status: 'canceled' } };
    expect((await client.send(`PUT ${path}/status`, cancel)).status).toBe(200);
    const other = await organization();
    const { id: theirs } = await createPaused(client, other, { phone_numbers: manyNumbers(6_000) });
    const read = await client.send(`GET /api/v1/campaigns/${theirs}`, { key: other.keys.viewer });
    expect(campaignOf(read).phone_numbers).toEqual(manyNumbers(6_000));
  });
});

describe('values of recipients', () => {
  const note = 'Grüße, 退货. '.repeat(20);

  function paramsOf(numbers: readonly string[]): Record<string, unknown> {
    const recipients = Object.fromEntries(
      numbers.map((number) => [number, { prompt_params: { number, note }, own: [1] }]),
    );
    return { crm: { id: 7 }, timezone: 'Europe/Berlin', recipients };
  }

  test.each([1, 10, 6_000])('of %i comes back as it was sent, in a read and in a list', async (count) => {
    const acme = await organization();
    const phone_numbers = manyNumbers(count);
    const additional_params = paramsOf(phone_numbers);
    const created = await createPaused(client, acme, { phone_numbers, additional_params });
    expect(created.additional_params).toEqual(additional_params);
    const read = await client.send(`GET /api/v1/campaigns/${created.id}`, { key: acme.keys.viewer });
    expect(campaignOf(read)).toEqual(created);
    const list = await client.send('GET /api/v1/campaigns', { key: acme.keys.viewer });
    expect(list.json).toMatchObject({ data: { items: [{ additional_params, phone_numbers }] } });
    const renamed = await client.send(`PUT /api/v1/campaigns/${created.id}`, {
      key: acme.keys.manager,
      json: { name: 'Summer' },
    });
    expect(campaignOf(renamed)).toEqual({ ...created, name: 'Summer' });
  });

  test('are removed when they are replaced', async () => {
    const acme = await organization();
    const created = await createPaused(client, acme, { additional_params: { recipients: {}, a: 1 } });
    expect(created.additional_params).toEqual({ recipients: {}, a: 1 });
    const update = await client.send(`PUT /api/v1/campaigns/${created.id}`, {
      key: acme.keys.manager,
      json: { additional_params: { recipients: null } },
    });
    expect(campaignOf(update).additional_params).toEqual({ recipients: null });
  });
});
