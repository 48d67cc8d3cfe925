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
  const answer = await client.send(`POST /api/v1/agents/${agentId}/call`, {
    key: acme.keys.member,
    json: { to_phone: toPhone },
  });
  return z.object({ data: z.object({ id: z.string() }) }).parse(answer.json).data.id;
}

const forgedCursor = (instant: string) =>
  Buffer.from(JSON.stringify([instant, agentId])).toString('base64url');

async function calls(query: string): Promise<string[]> {
  const answer = await client.send(`GET /api/v1/calls?${query}`, { key: acme.keys.viewer });
  return list.parse(answer.json).data.items.map((call) => call.id);
}

async function end(callId: string, outcome: 'busy' | 'completed'): Promise<void> {
  const now = new Date();
  await db
    .updateTable('calls')
    .set({ phase: 'ended', outcome, ended_at: now, gated_at: now, queue_deadline_at: null })
    .where('id', '=', callId)
    .execute();
}

const first = await makeCall('+15551230001');
const second = await makeCall('+15551230002');
const third = await makeCall('+15551230003');
await end(first, 'busy');
await end(second, 'completed');

describe('GET /calls', () => {
  test('lists the newest first, and continues correctly while calls are made', async () => {
    const page = await client.send('GET /api/v1/calls?limit=2', { key: acme.keys.viewer });
    const { items, next_cursor: cursor } = list.parse(page.json).data;
    expect(items.map((call) => call.id)).toEqual([third, second]);
    const fourth = await makeCall('+15551230004');
    expect(await calls(`limit=2&cursor=${cursor}`)).toEqual([first]);
    await db.deleteFrom('calls').where('id', '=', fourth).execute();
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

  test.each([
    ['status=over', 'status', 'enum'],
    ['outcome=over', 'outcome', 'enum'],
    ['phone_number=5551234', 'phone_number', 'string_pattern_mismatch'],
    ['from=yesterday', 'from', 'datetime_parsing'],
    ['agent_id=x', 'agent_id', 'uuid_parsing'],
    ['limit=0', 'limit', 'greater_than_equal'],
    ['cursor=x', 'cursor', 'value_error'],
    [`cursor=${forgedCursor('2026-13-45T99:99:99.000000Z')}`, 'cursor', 'value_error'],
    [`cursor=${forgedCursor('0000-01-01T00:00:00.000000Z')}`, 'cursor', 'value_error'],
  ])('%s is 422', async (query, field, type) => {
    const answer = await client.send(`GET /api/v1/calls?${query}`, { key: acme.keys.viewer });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ['query', field], type }] });
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
