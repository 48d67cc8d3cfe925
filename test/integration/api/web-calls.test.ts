import { engineNow, updateOrganization } from '@outdial/db';
import { endLostWebCalls, webCallsAtMost } from '@outdial/engine';
import { createCallTokens } from '@outdial/runtime';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { saveLastingHeartbeat } from '../../support/lasting-heartbeat.ts';
import { apiWorld } from './api-world.ts';

const secret = 'a-secret-of-these-tests-of-32-characters';
const { client, db, control, organization } = await apiWorld({
  config: { callTokenSecret: secret, voiceEndpoints: new Set(['llm', 'stt', 'tts']) },
});
const tokens = createCallTokens(secret);
const made = z.object({
  data: z.object({ call_id: z.guid(), url: z.string(), token: z.string(), expires_at: z.iso.datetime() }),
});

beforeEach(async () => {
  await db.deleteFrom('voice_processes' as never).execute();
  await saveLastingHeartbeat(db);
});

async function talker(config: Record<string, unknown> = { voice: { mode: 'cascade' } }) {
  const acme = await organization();
  const agentId = await acme.agent({ prompt: 'Greet {{name}}.', config });
  const ask = (json: unknown = {}, headers: Record<string, string> = {}) =>
    client.send(`POST /api/v1/agents/${agentId}/web-call`, { key: acme.keys.member, json, headers });
  return { acme, agentId, ask };
}

async function callOf(acme: { keys: { viewer: string } }, callId: string) {
  const { json } = await client.send(`GET /api/v1/calls/${callId}`, { key: acme.keys.viewer });
  return z.object({ data: z.looseObject({ meta: z.looseObject({}).nullable() }) }).parse(json).data;
}

describe('POST /agents/{agent_id}/web-call', () => {
  test('answers a websocket and a token of one call, which is in the record as a call in a browser', async () => {
    const { acme, agentId, ask } = await talker();
    const answer = await ask({ prompt_params: { name: 'Ada' }, meta: { page: 'pricing' } });
    expect(answer.status).toBe(200);
    const { call_id: callId, url, token, expires_at: expiresAt } = made.parse(answer.json).data;
    expect(url).toBe('wss://voice.example.com/web');
    const now = await engineNow(db);
    expect(await tokens.verify(token, now)).toEqual({ organizationId: acme.id, callId });
    expect(await tokens.verify(token, new Date(new Date(expiresAt).getTime() + 1_000))).toBeNull();
    expect(await callOf(acme, callId)).toMatchObject({
      agent_id: agentId,
      provider: 'web',
      type: 'inbound',
      status: 'init',
      phone_number: null,
      system_prompt: 'Greet Ada.',
      meta: { page: 'pricing' },
    });
  });

  test('the same Idempotency-Key returns the same call and token, and the database stores no token', async () => {
    const { ask } = await talker();
    const headers = { 'Idempotency-Key': 'k1' };
    const [first, second] = [await ask({}, headers), await ask({}, headers)];
    expect(second.json).toEqual(first.json);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const kept = await db.selectFrom('idempotency_keys').selectAll().execute();
    expect(JSON.stringify(kept)).not.toContain(made.parse(first.json).data.token);
  });

  test.each([
    ['another runtime talks for it', { voice: 'calm' }, 'agent_without_voice'],
    [
      'its endpoint is not there',
      { voice: { mode: 'cascade', llm: { endpoint: 'gone' } } },
      'agent_voice_faulty',
    ],
    ['its carrier hears and speaks', { voice: { mode: 'relay' } }, 'voice_mode_not_carried'],
  ])('an agent is 409 if %s', async (_what, config, code) => {
    const { ask } = await talker(config);
    const answer = await ask();
    expect([answer.status, answer.json]).toEqual([409, expect.objectContaining({ code })]);
  });

  test('an agent without a prompt is 409, a deleted one 404', async () => {
    const acme = await organization();
    const silent = await acme.agent({ prompt: null, config: { voice: { mode: 'cascade' } } });
    const path = `POST /api/v1/agents/${silent}/web-call`;
    const before = await client.send(path, { key: acme.keys.member, json: {} });
    expect([before.status, before.json]).toEqual([
      409,
      expect.objectContaining({ code: 'agent_without_prompt' }),
    ]);
    await client.send(`DELETE /api/v1/agents/${silent}`, { key: acme.keys.admin });
    expect((await client.send(path, { key: acme.keys.member, json: {} })).status).toBe(404);
  });

  test.each([
    ['no process is there', null, 'no_voice_process'],
    ['it drains', { draining: true }, 'no_voice_process'],
    ['it reaches no model', { endpointsDown: ['tts'] }, 'voice_endpoint_down'],
  ])('503 if %s, and no call stays behind', async (_what, state, code) => {
    await db.deleteFrom('voice_processes' as never).execute();
    if (state !== null) await saveLastingHeartbeat(db, state);
    const { acme, ask } = await talker();
    const answer = await ask();
    expect([answer.status, answer.json]).toEqual([503, expect.objectContaining({ code })]);
    expect(answer.headers.get('retry-after')).toBe('5');
    const calls = await db.selectFrom('calls').select('id').where('organization_id', '=', acme.id).execute();
    expect(calls).toEqual([]);
  });

  test('a full process is 503: each call uses capacity from its request on', async () => {
    await db.deleteFrom('voice_processes' as never).execute();
    await saveLastingHeartbeat(db, { capacity: 1 });
    const { ask } = await talker();
    expect((await ask()).status).toBe(200);
    const second = await ask();
    expect([second.status, second.json]).toEqual([
      503,
      expect.objectContaining({ code: 'voice_processes_full' }),
    ]);
  });
});

describe('the limits of an organization', () => {
  test('apply to calls in browsers: lines, calls per day, and concurrent calls', async () => {
    const { acme, ask } = await talker();
    const now = await engineNow(db);
    await updateOrganization(db, acme.id, { max_lines: 1 }, now);
    expect((await ask()).status).toBe(200);
    expect((await ask()).json).toMatchObject({ code: 'no_line_free' });
    await updateOrganization(db, acme.id, { max_lines: null, max_calls_per_day: 1 }, now);
    expect((await ask()).json).toMatchObject({ code: 'quota_exceeded' });
    await updateOrganization(db, acme.id, { max_calls_per_day: null }, now);
    const answers = await Promise.all(Array.from({ length: webCallsAtMost + 2 }, () => ask()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(webCallsAtMost - 1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
  });

  test('a line comes back when no browser joins in time; the call was canceled', async () => {
    const { acme, ask } = await talker();
    await updateOrganization(db, acme.id, { max_lines: 1 }, await engineNow(db));
    const { call_id: callId } = made.parse((await ask()).json).data;
    await endLostWebCalls(control);
    expect(await callOf(acme, callId)).toMatchObject({ status: 'init' });
    await db
      .updateTable('calls')
      .set({ check_at: new Date(0) })
      .where('id', '=', callId)
      .execute();
    await endLostWebCalls(control);
    expect(await callOf(acme, callId)).toMatchObject({
      status: 'other',
      external_last_status: 'never_connected',
      meta: { outcome: 'canceled' },
    });
    expect((await ask()).status).toBe(200);
  });

  test('a call that waits for its browser can be hung up', async () => {
    const { acme, ask } = await talker();
    const { call_id: callId } = made.parse((await ask()).json).data;
    const path = `POST /api/v1/calls/${callId}/hang-up`;
    expect((await client.send(path, { key: acme.keys.member })).status).toBe(200);
    await endLostWebCalls(control);
    expect(await callOf(acme, callId)).toMatchObject({ status: 'other', external_last_status: 'hung_up' });
    expect((await client.send(path, { key: acme.keys.member })).status).toBe(409);
  });
});
