import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';

const { client, db, organization } = await apiWorld();
const acme = await organization();
const agentId = await acme.agent();
const list = z.object({
  data: z.object({
    items: z.array(z.object({ id: z.string(), phone_number: z.string(), status: z.string() })),
    next_cursor: z.string().nullable(),
  }),
});

async function makeCall(toPhone: string): Promise<string> {
  const json = { to_phone: toPhone };
  return client.create(`POST /api/v1/agents/${agentId}/call`, { key: acme.keys.member, json });
}

async function calls(query: string): Promise<string[]> {
  const answer = await client.send(`GET /api/v1/calls?${query}`, { key: acme.keys.viewer });
  return list.parse(answer.json).data.items.map((call) => call.id);
}

const made = { agent_id: agentId, created_at: new Date(Date.now() - 60_000) };
const first = await acme.call({ ...made, phone_number: '+15551230001', outcome: 'busy' });
const second = await acme.call({
  ...made,
  phone_number: '+15551230002',
  created_at: new Date(Date.now() - 30_000),
});
const third = await makeCall('+15551230003');

describe('GET /calls', () => {
  test('lists the newest first, and continues correctly while calls are made', async () => {
    const page = await client.send('GET /api/v1/calls?limit=2', { key: acme.keys.viewer });
    const { items, next_cursor: cursor } = list.parse(page.json).data;
    expect(items.map((call) => call.id)).toEqual([third, second]);
    const fourth = await makeCall('+15551230004');
    expect(await calls(`limit=2&cursor=${cursor}`)).toEqual([first]);
    await db.deleteFrom('calls').where('id', '=', fourth).execute();
  });

  test('are listed by the agent too, in pages', async () => {
    const ofAgent = async (query: string) =>
      (await client.send(`GET /api/v1/agents/${agentId}/calls?${query}`, { key: acme.keys.viewer })).json;
    const agent = { id: agentId, name: 'Caller', organization_id: acme.id };
    expect(await ofAgent('page=2&size=2')).toMatchObject({ data: { ...agent, calls: [{ id: first }] } });
    expect(await ofAgent('page=9')).toMatchObject({ data: { calls: [] } });
  });

  test.each([
    ['status=other', [first]],
    ['status=finish', [second]],
    ['status=init', [third]],
    ['outcome=busy', [first]],
    ['phone_number=%2B15551230002', [second]],
    ['phone_number=%2B15551239999', []],
    ['from=2099-01-01T00:00:00Z', []],
    ['to=2099-01-01T00:00:00Z', [third, second, first]],
    [`agent_id=${agentId}&status=error`, []],
    ['agent_id=00000000-0000-4000-8000-000000000000', []],
    [`campaign_id=${agentId}`, []],
  ])('%s', async (query, expected) => {
    expect(await calls(query)).toEqual(expected);
    const ofAgent = await client.send(`GET /api/v1/agents/${agentId}/calls?${query}`, {
      key: acme.keys.viewer,
    });
    expect(ofAgent.json).toMatchObject({ data: { calls: expected.map((id) => ({ id })) } });
  });
});

describe('PUT /calls/{call_id}', () => {
  const put = (json: unknown, key = acme.keys.member) =>
    client.send(`PUT /api/v1/calls/${third}`, { key, json });

  test('replaces the fields that it names, and creates tags on first use', async () => {
    const answer = await put({ notes: 'Call again', quality: 4, tags: ['late', 'billing', 'late'] });
    expect(answer.json).toMatchObject({
      message: 'Data updated correctly',
      data: {
        id: third,
        notes: 'Call again',
        comments: null,
        quality: 4,
        tags: [{ name: 'billing' }, { name: 'late' }],
      },
    });
    expect((await put({ comments: 'Was friendly' })).json).toMatchObject({
      data: { notes: 'Call again', comments: 'Was friendly', quality: 4, tags: [{}, {}] },
    });
    expect((await put({ notes: null, quality: null, tags: ['late'] })).json).toMatchObject({
      data: { notes: null, comments: 'Was friendly', quality: null, tags: [{ name: 'late' }] },
    });
    const tags = await client.send('GET /api/v1/tags', { key: acme.keys.viewer });
    expect(JSON.stringify(tags.json)).toContain('billing');
    const read = await client.send(`GET /api/v1/calls/${third}`, { key: acme.keys.viewer });
    expect(read.json).toMatchObject({ data: { comments: 'Was friendly', tags: [{ name: 'late' }] } });
  });

  test.each([
    [{ quality: 6 }, ['body', 'quality'], 'less_than_equal'],
    [{ quality: 0 }, ['body', 'quality'], 'greater_than_equal'],
    [{ quality: 2.5 }, ['body', 'quality'], 'int_type'],
    [{ notes: 5 }, ['body', 'notes'], 'string_type'],
    [{ tags: [''] }, ['body', 'tags', 0], 'string_too_short'],
    [{ transcript: 'mine' }, ['body', 'transcript'], 'extra_forbidden'],
  ])('%j is 422', async (body, loc, type) => {
    const answer = await put(body);
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc, type }] });
  });
});
