import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';
import { idOf } from './contract-client.ts';

const { client, organization } = await apiWorld({
  config: { voiceEndpoints: new Set(['llm', 'stt', 'tts']) },
});
const acme = await organization();

async function createAgent(fields: object = {}): Promise<string> {
  const json = { name: 'Anna', ...fields };
  return client.create('POST /api/v1/agents', { key: acme.keys.manager, json });
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
    expect((await read(idOf(answer.json))).json).toEqual({
      ...z.object({}).loose().parse(answer.json),
      message: 'Data got correctly',
    });
  });

  test.each([
    [{ name: 'x', skills: [{ type: 'x' }] }, ['body', 'skills', 0, 'exec_order'], 'missing'],
    [{ name: 'x', voice: 'calm' }, ['body', 'voice'], 'extra_forbidden'],
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
    expect((await read(agentId)).json).toMatchObject({ data: { latest_prompt: null, skills: [] } });
    const reasons = { explanation: 'why', mitigation: 'how', harmful_intents: [{ intent: 'fraud' }] };
    for (const prompt of ['One', 'Two', 'Three']) {
      const json = { prompt, ...reasons };
      const answer = await client.send(`POST /api/v1/agents/${agentId}/prompts`, {
        key: acme.keys.manager,
        json,
      });
      expect(answer.json).toMatchObject({ data: { ...json, level: 1, agent_id: agentId } });
    }
    const latest = { prompt: 'Three', ...reasons, agent_id: agentId, organization_id: acme.id };
    expect((await read(agentId)).json).toMatchObject({ data: { latest_prompt: latest } });
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
  const key = acme.keys.admin;
  const remove = (agentId: string) => client.send(`DELETE /api/v1/agents/${agentId}`, { key });
  const call = (agentId: string) =>
    client.send(`POST /api/v1/agents/${agentId}/call`, { key, json: { to_phone: '+15551230000' } });
  const campaign = (agent_id: string) => ({
    key,
    json: { name: 'x', agent_id, phone_numbers: ['+15551230000'] },
  });
  const inUse = { status: 409, json: { code: 'agent_in_use' } };

  test('an agent that nothing needs is gone', async () => {
    const agentId = await createAgent({ prompt: 'Hello' });
    expect((await remove(agentId)).json).toMatchObject({ data: { id: agentId } });
    expect((await read(agentId)).status).toBe(404);
    expect((await remove(agentId)).status).toBe(404);
    const listed = await client.send('GET /api/v1/agents?limit=1000', { key });
    expect(listed.bytes.toString()).not.toContain(agentId);
    expect((await call(agentId)).status).toBe(404);
    expect((await client.send('POST /api/v1/campaigns', campaign(agentId))).status).toBe(404);
  });

  test('409 while a campaign that is not over needs it; its calls stay readable after it is gone', async () => {
    const agentId = await createAgent({ prompt: 'Hello' });
    const path = `/api/v1/campaigns/${await client.create('POST /api/v1/campaigns', campaign(agentId))}`;
    expect(await remove(agentId)).toMatchObject(inUse);
    await client.send(`PUT ${path}/status`, { key, json: { status: 'canceled' } });
    expect((await remove(agentId)).status).toBe(200);
    const left = await client.send(`GET ${path}`, { key });
    expect(left.json).toMatchObject({ data: { agent_id: agentId } });
  });

  test('a deleted draft does not need it', async () => {
    const agentId = await createAgent({ prompt: 'Hello' });
    const id = await client.create('POST /api/v1/campaigns', campaign(agentId));
    await client.send(`DELETE /api/v1/campaigns/${id}`, { key });
    expect((await remove(agentId)).status).toBe(200);
  });

  test('409 while a call is in progress', async () => {
    const agentId = await createAgent({ prompt: 'Hello' });
    expect((await call(agentId)).status).toBe(200);
    expect(await remove(agentId)).toMatchObject(inUse);
  });
});
