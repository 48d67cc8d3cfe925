import { describe, expect, test } from 'vitest';
import { apiWorld } from './api-world.ts';
import { idOf } from './contract-client.ts';
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
      meta: {
        warnings: [{ code: 'prompt_value_missing', loc: ['body', 'prompt_params', 'topic'], msg: someText }],
      },
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
    ['a list', [], [['body'], 'dict_type']],
    [
      'NUL in a value',
      { to_phone: phone, meta: { a: 'x\u0000' } },
      [['body', 'meta', 'a'], 'string_unicode'],
    ],
  ])('%s is 422', async (_what, json, [loc, type]) => {
    const acme = await organization();
    const agentId = await acme.agent();
    const answer = await client.send(`POST /api/v1/agents/${agentId}/call`, { key: acme.keys.member, json });
    expect(answer.status).toBe(422);
    expect(answer.json).toEqual({ detail: [{ loc, msg: someText, type }], code: 'validation' });
  });

  test('reject_missing_values refuses a prompt with placeholders that would be spoken, and calls no one', async () => {
    const acme = await organization();
    const agentId = await acme.agent({ prompt: 'Call {{name}} about {{topic}}.' });
    const call = (prompt_params: object) =>
      client.send(`POST /api/v1/agents/${agentId}/call`, {
        key: acme.keys.member,
        json: { to_phone: phone, prompt_params, reject_missing_values: true },
      });
    const refused = await call({ name: 'Ada' });
    expect([refused.status, refused.json]).toEqual([
      422,
      {
        detail: [{ loc: ['body', 'prompt_params', 'topic'], msg: someText, type: 'missing' }],
        code: 'validation',
      },
    ]);
    const calls = await client.send('GET /api/v1/calls', { key: acme.keys.member });
    expect(calls.json).toMatchObject({ data: { items: [] } });
    const done = await call({ name: 'Ada', topic: 'the order' });
    expect([done.status, done.json]).toMatchObject([200, { meta: {} }]);
  });

  test('a repeated request has the same warnings, and names unknown fields beside them', async () => {
    const acme = await organization();
    const agentId = await acme.agent({ prompt: 'Call {{name}} about {topic}.' });
    const call = () =>
      client.send(`POST /api/v1/agents/${agentId}/call`, {
        key: acme.keys.member,
        headers: { 'Idempotency-Key': 'once' },
        json: { to_phone: phone, promt_params: { name: 'Ada' } },
      });
    const first = await call();
    expect(first.json).toMatchObject({
      meta: {
        warnings: [
          { code: 'unknown_field', loc: ['body', 'promt_params'] },
          { code: 'prompt_value_missing', loc: ['body', 'prompt_params', 'name'] },
          { code: 'prompt_single_braces', loc: ['path', 'agent_id'] },
        ],
      },
    });
    expect((await call()).json).toEqual(first.json);
  });

  test('meta.outcome is the outcome of the call, never a value of the caller, who is told so', async () => {
    const acme = await organization();
    const answer = await client.send(`POST /api/v1/agents/${await acme.agent({ prompt: 'Hello.' })}/call`, {
      key: acme.keys.member,
      json: { to_phone: phone, meta: { outcome: 'interested', order: 7 } },
    });
    expect(answer.json).toMatchObject({
      meta: { warnings: [{ code: 'unknown_field', loc: ['body', 'meta', 'outcome'] }] },
    });
    expect(answer.json).toHaveProperty('data.meta', { order: 7 });
  });

  test.each([
    [
      'names a provider that does not exist',
      { config: { telephony: { provider: 'nowhere' } } },
      'provider_unknown',
    ],
    ['has no prompt', { prompt: null }, 'agent_without_prompt'],
  ])('an agent that %s is 409, and nothing is written', async (_what, agent, code) => {
    const acme = await organization();
    const answer = await client.send(`POST /api/v1/agents/${await acme.agent(agent)}/call`, {
      key: acme.keys.member,
      json: { to_phone: phone },
    });
    expect(answer).toMatchObject({ status: 409, json: { code } });
    const calls = await db.selectFrom('calls').select('id').where('organization_id', '=', acme.id).execute();
    expect(calls).toEqual([]);
  });
});

describe('GET /calls/{call_id}', () => {
  test('returns the same as its creation', async () => {
    const acme = await organization();
    const made = await client.send(`POST /api/v1/agents/${await acme.agent()}/call`, {
      key: acme.keys.member,
      json: { to_phone: phone, prompt_params: { name: 'Ada' } },
    });
    const id = idOf(made.json);
    const read = await client.send(`GET /api/v1/calls/${id}/`, { key: acme.keys.viewer });
    expect(read.json).toEqual({ ...Object(made.json), message: 'Data got correctly' });

    const recording = await client.send(`GET /api/v1/calls/${id}/recording`, { key: acme.keys.viewer });
    expect(recording.status).toBe(404);
  });

  test.each(['nobody', '%00'])('%s is 404', async (id) => {
    const acme = await organization();
    const answer = await client.send(`GET /api/v1/calls/${id}`, { key: acme.keys.viewer });
    expect(answer.status).toBe(404);
  });
});
