import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';

const { client, organization } = await apiWorld({
  config: { voiceEndpoints: new Set(['llm', 'stt', 'tts']) },
});
const acme = await organization();
const withId = z.object({ data: z.object({ id: z.string() }) });

async function createAgent(fields: object = {}): Promise<string> {
  const answer = await client.send('POST /api/v1/agents', {
    key: acme.keys.manager,
    json: { name: 'Anna', ...fields },
  });
  return withId.parse(answer.json).data.id;
}

const read = (agentId: string) => client.send(`GET /api/v1/agents/${agentId}`, { key: acme.keys.viewer });

describe('POST /agents', () => {
  test('makes an agent with config, skills and a first prompt', async () => {
    const answer = await client.send('POST /api/v1/agents', {
      key: acme.keys.manager,
      json: {
        name: 'Anna',
        config: { voice: 'calm' },
        skills: [
          { type: 'transfer', exec_order: '2', enabled: false },
          { type: 'greet', exec_order: '1' },
        ],
        prompt: 'Greet {{name}}.',
      },
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      message: 'Data created correctly',
      data: {
        name: 'Anna',
        organization_id: acme.id,
        config: { voice: 'calm' },
        skills: [
          { type: 'greet', enabled: true, config: {} },
          { type: 'transfer', enabled: false },
        ],
        latest_prompt: { level: 1, prompt: 'Greet {{name}}.' },
      },
    });
    expect((await read(withId.parse(answer.json).data.id)).json).toEqual({
      ...z.object({}).loose().parse(answer.json),
      message: 'Data got correctly',
    });
  });

  test('the same Idempotency-Key makes one agent', async () => {
    const send = () =>
      client.send('POST /api/v1/agents', {
        key: acme.keys.admin,
        json: { name: 'Once' },
        headers: { 'Idempotency-Key': 'make-once' },
      });
    const [first, again] = [await send(), await send()];
    expect(again.json).toEqual(first.json);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test.each([
    [{}, ['body', 'name'], 'missing'],
    [{ name: ' ' }, ['body', 'name'], 'string_too_short'],
    [{ name: 'x', skills: [{ type: 'x' }] }, ['body', 'skills', 0, 'exec_order'], 'missing'],
    [{ name: 'x', voice: 'calm' }, ['body', 'voice'], 'extra_forbidden'],
    [{ name: 'x', config: { voice: { llm: {} } } }, ['body', 'config', 'voice', 'mode'], 'missing'],
    [
      { name: 'x', config: { voice: { mode: 'relay', turn: { silence_ms: 9 } } } },
      ['body', 'config', 'voice', 'turn', 'silence_ms'],
      'greater_than_equal',
    ],
    [
      { name: 'x', config: { voice: { mode: 'relay', greting: 'Hi' } } },
      ['body', 'config', 'voice', 'greting'],
      'extra_forbidden',
    ],
    [
      { name: 'x', config: { voice: { mode: 'relay', llm: { endpoint: 'lmm' } } } },
      ['body', 'config', 'voice', 'llm', 'endpoint'],
      'value_error',
    ],
  ])('%j is 422', async (json, loc, type) => {
    const answer = await client.send('POST /api/v1/agents', { key: acme.keys.admin, json });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc, type }] });
  });
});

describe('PUT /agents/{agent_id}', () => {
  test('replaces the fields that it names', async () => {
    const agentId = await createAgent({
      config: { voice: 'calm' },
      skills: [{ type: 'a', exec_order: '1' }],
    });
    const put = (json: unknown) =>
      client.send(`PUT /api/v1/agents/${agentId}`, { key: acme.keys.manager, json });
    expect((await put({ name: 'Berta' })).json).toMatchObject({
      data: { name: 'Berta', config: { voice: 'calm' }, skills: [{ type: 'a' }] },
    });
    const unknown = await put({ config: { voice: { mode: 'relay', llm: { endpoint: 'other' } } } });
    expect(unknown.status).toBe(422);
    const voice = { mode: 'cascade', greeting: 'Hello {{name}}' };
    // Stored as sent, without defaults, because defaults may change.
    expect((await put({ config: { voice } })).json).toMatchObject({ data: { config: { voice } } });
    expect((await put({ config: {}, skills: [{ type: 'b', exec_order: '1' }] })).json).toMatchObject({
      data: { name: 'Berta', config: {}, skills: [{ type: 'b' }] },
    });
  });
});

describe('prompts', () => {
  test('the newest is latest_prompt, and all are listed, newest first', async () => {
    const agentId = await createAgent();
    for (const prompt of ['One', 'Two', 'Three']) {
      const answer = await client.send(`POST /api/v1/agents/${agentId}/prompts`, {
        key: acme.keys.manager,
        json: { prompt, explanation: 'why' },
      });
      expect(answer.json).toMatchObject({
        data: { prompt, level: 1, explanation: 'why', agent_id: agentId },
      });
    }
    expect((await read(agentId)).json).toMatchObject({ data: { latest_prompt: { prompt: 'Three' } } });
    const prompts = `GET /api/v1/agents/${agentId}/prompts`;
    const page = z.object({
      data: z.object({
        items: z.array(z.object({ prompt: z.string() })),
        next_cursor: z.string().nullable(),
      }),
    });
    const first = page.parse((await client.send(`${prompts}?limit=2`, { key: acme.keys.viewer })).json).data;
    expect(first.items.map((item) => item.prompt)).toEqual(['Three', 'Two']);
    const rest = await client.send(`${prompts}?limit=2&cursor=${first.next_cursor}`, {
      key: acme.keys.viewer,
    });
    expect(page.parse(rest.json).data).toMatchObject({ items: [{ prompt: 'One' }], next_cursor: null });
  });

  test('have up to 100,000 characters of any alphabet, and the rest of a body has no more room than others', async () => {
    const prompt = 'я'.repeat(100_000);
    const agentId = await createAgent({ prompt });
    const post = (path: string, json: object) =>
      client.send(`POST /api/v1/agents${path}`, { key: acme.keys.manager, json });
    expect((await post(`/${agentId}/prompts`, { prompt })).json).toMatchObject({ data: { prompt } });
    expect((await read(agentId)).json).toMatchObject({ data: { latest_prompt: { prompt } } });
    const tooLong = await post(`/${agentId}/prompts`, { prompt: `${prompt}я` });
    expect(tooLong.json).toMatchObject({ detail: [{ loc: ['body', 'prompt'], type: 'string_too_long' }] });
    const intents = { prompt, harmful_intents: ['x'.repeat(65_536)] };
    const config = { name: 'Anna', prompt, config: { notes: 'x'.repeat(65_536) } };
    for (const answer of [await post(`/${agentId}/prompts`, intents), await post('', config)]) {
      expect(answer.json).toMatchObject({ detail: [{ loc: ['body'], type: 'too_long' }] });
    }
  });
});

describe('DELETE /agents/{agent_id}', () => {
  const remove = (agentId: string) =>
    client.send(`DELETE /api/v1/agents/${agentId}`, { key: acme.keys.manager });

  test('an agent that nothing needs is gone', async () => {
    const agentId = await createAgent({ prompt: 'Hello' });
    expect((await remove(agentId)).json).toMatchObject({ data: { id: agentId } });
    expect((await read(agentId)).status).toBe(404);
    expect((await remove(agentId)).status).toBe(404);
    const listed = await client.send('GET /api/v1/agents?limit=1000', { key: acme.keys.viewer });
    expect(listed.bytes.toString()).not.toContain(agentId);
    const call = await client.send(`POST /api/v1/agents/${agentId}/call`, {
      key: acme.keys.admin,
      json: { to_phone: '+15551230000' },
    });
    expect(call.status).toBe(404);
    const campaign = await client.send('POST /api/v1/campaigns', {
      key: acme.keys.admin,
      json: { name: 'x', agent_id: agentId, phone_numbers: ['+15551230000'] },
    });
    expect(campaign.status).toBe(404);
  });

  test('409 while a campaign that is not over needs it; its calls stay readable after it is gone', async () => {
    const agentId = await createAgent({ prompt: 'Hello' });
    const campaign = await client.send('POST /api/v1/campaigns', {
      key: acme.keys.admin,
      json: { name: 'x', agent_id: agentId, phone_numbers: ['+15551230000'], status: 'paused' },
    });
    const campaignId = withId.parse(campaign.json).data.id;
    const refused = await remove(agentId);
    expect(refused.status).toBe(409);
    expect(refused.json).toMatchObject({ code: 'agent_in_use' });
    await client.send(`PUT /api/v1/campaigns/${campaignId}/status`, {
      key: acme.keys.admin,
      json: { status: 'canceled' },
    });
    expect((await remove(agentId)).status).toBe(200);
    const read = await client.send(`GET /api/v1/campaigns/${campaignId}`, { key: acme.keys.viewer });
    expect(read.json).toMatchObject({ data: { agent_id: agentId } });
  });

  test('a deleted draft does not need it', async () => {
    const agentId = await createAgent({ prompt: 'Hello' });
    const draft = await client.send('POST /api/v1/campaigns', {
      key: acme.keys.admin,
      json: { name: 'x', agent_id: agentId, phone_numbers: ['+15551230000'] },
    });
    expect((await remove(agentId)).json).toMatchObject({ code: 'agent_in_use' });
    const path = `/api/v1/campaigns/${withId.parse(draft.json).data.id}`;
    await client.send(`DELETE ${path}`, { key: acme.keys.admin });
    expect((await remove(agentId)).status).toBe(200);
  });

  test('409 while a call is in progress', async () => {
    const agentId = await createAgent({ prompt: 'Hello' });
    await client.send(`POST /api/v1/agents/${agentId}/call`, {
      key: acme.keys.admin,
      json: { to_phone: '+15551230000' },
    });
    expect((await remove(agentId)).json).toMatchObject({ code: 'agent_in_use' });
  });
});
