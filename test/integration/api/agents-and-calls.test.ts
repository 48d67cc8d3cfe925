import { randomUUID } from 'node:crypto';
import { addPrompt, addSkill } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { apiWorld } from './api-world.ts';
import { someList, someText } from './matchers.ts';

const { client, db, organization } = await apiWorld();

const phone = '+15551230000';

describe('POST /agents/{agent_id}/call', () => {
  test('writes the call as init and answers it at once', async () => {
    const acme = await organization();
    const agentId = await acme.agent({ prompt: 'Call {{name}} about {{topic}}.' });
    const answer = await client.send(`POST /api/v1/agents/${agentId}/call`, {
      key: acme.keys.member,
      json: { to_phone: phone, prompt_params: { name: 'Ada' }, meta: { order: 7 } },
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      message: 'Data created correctly',
      meta: {},
      data: {
        id: someText,
        agent_id: agentId,
        organization_id: acme.id,
        provider: 'phone_outbound',
        status: 'init',
        type: 'outbound',
        phone_number: phone,
        conversation_id: null,
        transcript: null,
        duration: null,
        cost: 0,
        notes: null,
        recording_url: null,
        events: someList,
        prompt_params: { name: 'Ada' },
        call_extract: null,
        external_last_status: null,
        meta: { order: 7 },
        system_prompt: 'Call Ada about {{topic}}.',
        comments: null,
        quality: null,
        created_by: { id: acme.userId, first_name: 'Ada', last_name: 'Lovelace' },
        created_at: someText,
        tags: [],
      },
    });
  });

  test.each([
    ['nothing', undefined, [['body'], 'missing']],
    ['no number', {}, [['body', 'to_phone'], 'missing']],
    [
      'a number without a country',
      { to_phone: '5551230000' },
      [['body', 'to_phone'], 'string_pattern_mismatch'],
    ],
    ['a number that is a number', { to_phone: 15551230000 }, [['body', 'to_phone'], 'string_type']],
    ['a list', [], [['body'], 'dict_type']],
    [
      'a value that is no string',
      { to_phone: phone, prompt_params: { a: 1 } },
      [['body', 'prompt_params', 'a'], 'string_type'],
    ],
    ['meta that is no object', { to_phone: phone, meta: [] }, [['body', 'meta'], 'dict_type']],
    [
      'NUL in a value',
      { to_phone: phone, meta: { a: 'x\u0000' } },
      [['body', 'meta', 'a'], 'string_unicode'],
    ],
    [
      'half a surrogate pair',
      { to_phone: phone, meta: { a: '\ud800' } },
      [['body', 'meta', 'a'], 'string_unicode'],
    ],
  ])('%s is 422', async (_what, json, [loc, type]) => {
    const acme = await organization();
    const agentId = await acme.agent();
    const answer = await client.send(`POST /api/v1/agents/${agentId}/call`, { key: acme.keys.member, json });
    expect(answer.status).toBe(422);
    expect(answer.json).toEqual({ detail: [{ loc, msg: someText, type }] });
  });

  test('an agent_id that is no UUID is 422', async () => {
    const acme = await organization();
    const answer = await client.send('POST /api/v1/agents/7/call', {
      key: acme.keys.member,
      json: { to_phone: phone },
    });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ['path', 'agent_id'], type: 'uuid_parsing' }] });
  });

  test('an unknown agent and one of another organization are 404', async () => {
    const [acme, other] = [await organization(), await organization()];
    for (const agentId of [randomUUID(), await other.agent()]) {
      const answer = await client.send(`POST /api/v1/agents/${agentId}/call`, {
        key: acme.keys.member,
        json: { to_phone: phone },
      });
      expect(answer.status).toBe(404);
      expect(answer.json).toMatchObject({ code: 'not_found' });
    }
  });

  test('a viewer is refused before the body is looked at', async () => {
    const acme = await organization();
    const answer = await client.send(`POST /api/v1/agents/${await acme.agent()}/call`, {
      key: acme.keys.viewer,
      json: {},
    });
    expect(answer.status).toBe(403);
    expect(answer.json).toMatchObject({ code: 'forbidden_role' });
  });

  test('an agent without a prompt is 409, and nothing is written', async () => {
    const acme = await organization();
    const answer = await client.send(`POST /api/v1/agents/${await acme.agent({ prompt: null })}/call`, {
      key: acme.keys.member,
      json: { to_phone: phone },
    });
    expect(answer.status).toBe(409);
    expect(answer.json).toMatchObject({ code: 'agent_without_prompt' });
    const calls = await db.selectFrom('calls').select('id').where('organization_id', '=', acme.id).execute();
    expect(calls).toEqual([]);
  });
});

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
    const third = await client.send(path, { ...request, json: { to_phone: '+15551230001' } });
    expect(third.status).toBe(409);
    expect(third.json).toMatchObject({ code: 'idempotency_key_reused' });
    const calls = await db.selectFrom('calls').select('id').where('organization_id', '=', acme.id).execute();
    expect(calls).toHaveLength(1);
  });

  test('of many at once one makes the call, and the others repeat it or are told to come again', async () => {
    const acme = await organization();
    const path = `POST /api/v1/agents/${await acme.agent()}/call`;
    const request = {
      key: acme.keys.member,
      headers: { 'Idempotency-Key': randomUUID() },
      json: { to_phone: phone },
    };
    const answers = await Promise.all(Array.from({ length: 12 }, () => client.send(path, request)));
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer.status).toBe(409);
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect(
      new Set(answers.filter(({ status }) => status === 200).map(({ json }) => JSON.stringify(json))).size,
    ).toBe(1);
    const calls = await db.selectFrom('calls').select('id').where('organization_id', '=', acme.id).execute();
    expect(calls).toHaveLength(1);
  });

  test('a key belongs to its organization, and a failed request keeps nothing', async () => {
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

describe('GET /agents/{agent_id}', () => {
  test('answers the agent with its skills in order and its newest prompt', async () => {
    const acme = await organization();
    const agentId = await acme.agent();
    await addPrompt(db, {
      organizationId: acme.id,
      agentId,
      level: 2,
      prompt: 'Newer',
      explanation: 'why',
      mitigation: 'how',
      harmfulIntents: [{ intent: 'fraud' }],
    });
    await addSkill(db, { organizationId: acme.id, agentId, type: 'transfer', execOrder: '2' });
    await addSkill(db, { organizationId: acme.id, agentId, type: 'greet', execOrder: '1', enabled: false });
    const answer = await client.send(`GET /api/v1/agents/${agentId}/`, { key: acme.keys.viewer });
    expect(answer.json).toMatchObject({
      message: 'Data got correctly',
      meta: {},
      data: {
        id: agentId,
        name: 'Caller',
        organization: { name: 'Acme' },
        organization_id: acme.id,
        config: { voice: 'calm' },
        skills: [
          { type: 'greet', exec_order: '1', enabled: false, agent_id: agentId },
          { type: 'transfer', exec_order: '2', enabled: true },
        ],
        latest_prompt: {
          level: 2,
          prompt: 'Newer',
          explanation: 'why',
          mitigation: 'how',
          harmful_intents: [{ intent: 'fraud' }],
          agent_id: agentId,
          organization_id: acme.id,
        },
      },
    });
  });

  test('latest_prompt is null while there is none', async () => {
    const acme = await organization();
    const answer = await client.send(`GET /api/v1/agents/${await acme.agent({ prompt: null })}`, {
      key: acme.keys.viewer,
    });
    expect(answer.json).toMatchObject({ data: { latest_prompt: null, skills: [] } });
  });

  test('404 for another organization’s, 422 for what is no UUID, 401 without a key', async () => {
    const [acme, other] = [await organization(), await organization()];
    const key = acme.keys.admin;
    expect((await client.send(`GET /api/v1/agents/${await other.agent()}`, { key })).status).toBe(404);
    expect((await client.send('GET /api/v1/agents/nobody', { key })).status).toBe(422);
    expect((await client.send(`GET /api/v1/agents/${randomUUID()}`)).status).toBe(401);
  });
});

describe('GET /agents/{agent_id}/calls', () => {
  test('answers the newest first, in pages', async () => {
    const acme = await organization();
    const agentId = await acme.agent();
    const made: string[] = [];
    for (let count = 0; count < 3; count++) {
      const answer = await client.send(`POST /api/v1/agents/${agentId}/call`, {
        key: acme.keys.member,
        json: { to_phone: phone, meta: { count } },
      });
      made.unshift(JSON.stringify(answer.json));
    }
    const list = async (query: string) => {
      const answer = await client.send(`GET /api/v1/agents/${agentId}/calls${query}`, {
        key: acme.keys.viewer,
      });
      expect(answer.status).toBe(200);
      return answer.json;
    };
    const countsOf = (...counts: number[]) => ({
      data: { calls: counts.map((count) => ({ meta: { count } })) },
    });
    expect(await list('')).toMatchObject({ data: { id: agentId, name: 'Caller', organization_id: acme.id } });
    expect(await list('')).toMatchObject(countsOf(2, 1, 0));
    expect(await list('/?page=2&size=2')).toMatchObject(countsOf(0));
    expect(await list('?page=9')).toMatchObject({ data: { calls: [] } });
  });

  test.each([
    ['page=0', 'greater_than_equal'],
    ['size=101', 'less_than_equal'],
    ['size=ten', 'int_parsing'],
    ['size=', 'int_parsing'],
    ['page=1.5', 'int_parsing'],
    ['page=1&page=2', 'string_type'],
  ])('%s is 422', async (query, type) => {
    const acme = await organization();
    const answer = await client.send(`GET /api/v1/agents/${await acme.agent()}/calls?${query}`, {
      key: acme.keys.viewer,
    });
    expect(answer.status).toBe(422);
    const field = query.split('=', 1)[0];
    expect(answer.json).toMatchObject({ detail: [{ loc: ['query', field], type }] });
  });

  test('404 for another organization’s agent', async () => {
    const [acme, other] = [await organization(), await organization()];
    const answer = await client.send(`GET /api/v1/agents/${await other.agent()}/calls`, {
      key: acme.keys.admin,
    });
    expect(answer.status).toBe(404);
  });
});

describe('GET /calls/{call_id}', () => {
  test('answers what making it answered', async () => {
    const acme = await organization();
    const made = await client.send(`POST /api/v1/agents/${await acme.agent()}/call`, {
      key: acme.keys.member,
      json: { to_phone: phone },
    });
    const { id } =
      (await db.selectFrom('calls').select('id').where('organization_id', '=', acme.id).execute())[0] ?? {};
    const read = await client.send(`GET /api/v1/calls/${id}/`, { key: acme.keys.viewer });
    expect(read.json).toEqual({ ...Object(made.json), message: 'Data got correctly' });

    const other = await organization();
    expect((await client.send(`GET /api/v1/calls/${id}`, { key: other.keys.admin })).status).toBe(404);
    expect((await client.send(`GET /api/v1/calls/${id}/recording`, { key: other.keys.admin })).status).toBe(
      404,
    );
    expect((await client.send(`GET /api/v1/calls/${id}/recording`, { key: acme.keys.viewer })).status).toBe(
      404,
    );
  });

  test.each(['1', 'nobody', '%00', randomUUID()])('%s is 404', async (id) => {
    const acme = await organization();
    const answer = await client.send(`GET /api/v1/calls/${id}`, { key: acme.keys.viewer });
    expect(answer.status).toBe(404);
  });
});
