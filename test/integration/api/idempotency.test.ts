import { randomUUID } from 'node:crypto';
import { addPrompt } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { apiWorld } from './api-world.ts';

const { client, db, organization } = await apiWorld();

const phone = '+15551230000';

describe('Idempotency-Key', () => {
  test('the same request gives the same answer and one call; another body is 409', async () => {
    const acme = await organization();
    const path = `POST /api/v1/agents/${await acme.agent()}/call`;
    const headers = { 'Idempotency-Key': randomUUID() };
    const request = { key: acme.keys.member, headers };
    const first = await client.send(path, { ...request, json: { to_phone: phone, meta: { a: 1, b: 2 } } });
    const second = await client.send(`${path}/`, {
      ...request,
      json: { meta: { b: 2, a: 1 }, to_phone: phone },
    });
    expect(second.json).toEqual(first.json);
    const replayed = [first, second].map((answer) => answer.headers.get('idempotent-replayed'));
    expect(replayed).toEqual([null, 'true']);
    const third = await client.send(path, { ...request, json: { to_phone: '+15551230001' } });
    expect(third.status).toBe(409);
    expect(third.json).toMatchObject({ code: 'idempotency_key_reused' });
    const calls = await db.selectFrom('calls').select('id').where('organization_id', '=', acme.id).execute();
    expect(calls).toHaveLength(1);
  });

  test('a key belongs to its organization, and a failed request stores nothing', async () => {
    const [acme, other] = [await organization(), await organization()];
    const headers = { 'Idempotency-Key': randomUUID() };
    const agentId = await acme.agent({ prompt: null });
    const send = (key: string) =>
      client.send(`POST /api/v1/agents/${agentId}/call`, { key, headers, json: { to_phone: phone } });
    expect((await send(acme.keys.member)).status).toBe(409);
    await addPrompt(db, { organizationId: acme.id, agentId, level: 1, prompt: 'Hello' });
    expect((await send(acme.keys.member)).status).toBe(200);
    expect((await send(other.keys.member)).status).toBe(404);
  });

  test('what is stored of a key names nobody', async () => {
    const acme = await organization();
    const number = '+15551237788';
    const answer = await client.send(`POST /api/v1/agents/${await acme.agent()}/call`, {
      key: acme.keys.member,
      headers: { 'Idempotency-Key': `call-${number}` },
      json: { to_phone: phone },
    });
    expect(answer.status).toBe(200);
    const kept = await db
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('organization_id', '=', acme.id)
      .execute();
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain(number.slice(1));
  });

  test('a key of no visible characters is 400', async () => {
    const acme = await organization();
    const answer = await client.send(`POST /api/v1/agents/${await acme.agent()}/call`, {
      key: acme.keys.member,
      headers: { 'Idempotency-Key': 'a b' },
      json: { to_phone: phone },
    });
    expect(answer.status).toBe(400);
  });
});
