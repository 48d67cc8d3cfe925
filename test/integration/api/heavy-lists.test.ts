import { connect as connectSocket, type Socket } from 'node:net';
import { once } from 'node:events';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld, type TestOrganization } from './api-world.ts';

const { client, db, organization } = await apiWorld();
const sockets: Socket[] = [];
afterAll(() => sockets.forEach((socket) => socket.destroy()));

/** More than the buffers of a connection hold. */
const manyCalls = 160;
const phoneNumber = '+15551230001';

/** Calls with 64 KB of meta and 64 KB of values each, the newest first. */
async function withHeavyCalls(
  acme: TestOrganization,
  count: number,
): Promise<{ agentId: string; ids: string[] }> {
  const agentId = await acme.agent();
  const { rows } = await sql<{ id: string }>`
    insert into calls (id, organization_id, agent_id, attempt, provider, phase, outcome, phone_number, from_phone, prompt_id,
      prompt_params, meta, created_by, created_at, gated_at, ended_at)
    select gen_random_uuid(), ${acme.id}, ${agentId}, 1, 'simulator', 'ended', 'completed', ${phoneNumber}, null, p.id,
      jsonb_build_object('name', repeat('x', 64000)), jsonb_build_object('crm', repeat('y', 64000)), ${acme.userId},
      now() - n * interval '1 second', now(), now()
    from agent_prompts p, generate_series(1, ${count}::integer) n
    where p.agent_id = ${agentId}
    order by n
    returning id`.execute(db);
  return { agentId, ids: rows.map(({ id }) => id) };
}

const callIds = z.array(z.object({ id: z.string(), meta: z.object({ crm: z.string() }) }));
const callList = z.object({ data: z.object({ items: callIds, next_cursor: z.string().nullable() }) });
const agentCalls = z.object({ data: z.object({ calls: callIds }) });
const person = z.object({ data: z.object({ calls: callIds, complete: z.boolean() }) });

/** Sends a request and reads only the beginning of the answer. `rest` reads the remainder. */
async function readSlowly(path: string, key: string) {
  const { hostname, port } = new URL(client.base);
  const socket = connectSocket(Number(port), hostname);
  sockets.push(socket);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-Key: ${key}\r\n\r\n`);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'data');
  socket.pause();
  return {
    status: chunks[0]?.toString().slice(9, 12),
    async rest() {
      socket.resume();
      await once(socket, 'close');
      return Buffer.concat(chunks).toString();
    },
  };
}

describe('a list of heavy rows', () => {
  test('is answered whole and in order, page after page', async () => {
    const acme = await organization();
    const { agentId, ids } = await withHeavyCalls(acme, 40);
    const visited: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = cursor === '' ? 'limit=37' : `limit=37&cursor=${cursor}`;
      const { json } = await client.send(`GET /api/v1/calls?${query}`, { key: acme.keys.viewer });
      const { items, next_cursor: next } = callList.parse(json).data;
      visited.push(...items.map((call) => call.id));
      expect(items.every((call) => call.meta.crm.length === 64_000)).toBe(true);
      cursor = next;
    }
    expect(visited).toEqual(ids);

    const ofAgent = await client.send(`GET /api/v1/agents/${agentId}/calls?page=2&size=20`, {
      key: acme.keys.viewer,
    });
    expect(agentCalls.parse(ofAgent.json).data.calls.map((call) => call.id)).toEqual(ids.slice(20));
    const exported = await client.send(`GET /api/v1/people/${encodeURIComponent(phoneNumber)}/export`, {
      key: acme.keys.admin,
    });
    const { calls, complete } = person.parse(exported.json).data;
    expect([calls.map((call) => call.id), complete]).toEqual([ids, true]);
  });

  test('is read as it is sent, and not buffered for a slow caller', async () => {
    const acme = await organization();
    const { ids } = await withHeavyCalls(acme, manyCalls);
    const slow = await readSlowly('/api/v1/calls?limit=1000', acme.keys.viewer);
    const whole = await readSlowly(
      `/api/v1/people/${encodeURIComponent(phoneNumber)}/export`,
      acme.keys.admin,
    );
    expect([slow.status, whole.status]).toEqual(['200', '200']);
    // The deleted rows were not fetched yet, so the answer does not contain them.
    await db.deleteFrom('calls').where('id', 'in', ids.slice(-40)).execute();
    for (const text of [await slow.rest(), await whole.rest()]) {
      expect(text.includes(ids[0] ?? 'none')).toBe(true);
      expect(text.includes(ids.at(-1) ?? 'none')).toBe(false);
    }
  });

  test('has few slow callers in an organization, and short answers continue beside them', async () => {
    const acme = await organization();
    await withHeavyCalls(acme, manyCalls);
    const path = '/api/v1/calls?limit=1000';
    for (let reader = 1; reader <= 4; reader += 1) {
      expect((await readSlowly(path, acme.keys.viewer)).status).toBe('200');
    }
    const fifth = await client.send(`GET ${path}`, { key: acme.keys.viewer });
    expect([fifth.status, fifth.headers.get('retry-after')]).toEqual([429, '5']);
    const short = await client.send('GET /api/v1/calls?limit=3', { key: acme.keys.viewer });
    expect(callList.parse(short.json).data.items).toHaveLength(3);
    const other = await organization();
    const { ids } = await withHeavyCalls(other, 20);
    const { json } = await client.send(`GET ${path}`, { key: other.keys.viewer });
    expect(callList.parse(json).data.items.map((call) => call.id)).toEqual(ids);
  });
});
