import { randomUUID } from 'node:crypto';
import { claimWebCall, engineNow, findLostWebCalls, saveVoiceHeartbeat } from '@outdial/db';
import { applyReports, endLostWebCalls } from '@outdial/engine';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { reachedFor, unreachedFor } from '../../support/outages.ts';
import { apiWorld } from './api-world.ts';

const { client, db, control, organization } = await apiWorld({
  config: {
    callTokenSecret: 'a-secret-of-these-tests-of-32-characters',
    voiceEndpoints: new Set(['llm', 'stt', 'tts']),
  },
});
const made = z.object({ data: z.object({ call_id: z.guid() }) });

const processId = randomUUID();
const heartbeat = (id = processId) =>
  saveVoiceHeartbeat(db, {
    id,
    url: 'ws://voice-1:8090',
    webUrl: null,
    capacity: 100,
    activeCalls: 0,
    draining: false,
    endpointsDown: [],
  });
const silentFor = (seconds: number) =>
  sql`update voice_processes set seen_at = clock_timestamp() - ${seconds} * interval '1 second'`.execute(db);

const lost = async () => (await endLostWebCalls(control)).done;
/** How many calls the sweep would end now. */
const wouldEnd = async () => (await findLostWebCalls(db, { now: await engineNow(db), limit: 10 })).length;

/**
 * Prepares a state that lasts a second, because Postgres measures these times by its own clock, and looks. If that took longer, an answer other than the
 * expected one proves nothing, and it begins again.
 */
async function inOneSecond(
  prepare: () => Promise<unknown>,
  look: () => Promise<number>,
  expected: number,
): Promise<number> {
  for (let tries = 1; tries <= 20; tries++) {
    const since = performance.now();
    await prepare();
    const seen = await look();
    if (seen === expected || performance.now() - since < 1_000) return seen;
  }
  throw new Error('a look took longer than a second 20 times');
}

beforeEach(async () => {
  await sql`delete from voice_processes`.execute(db);
  await lost();
  await heartbeat();
});

/** Starts a web call on the process. Returns a function that reads the call's status. */
async function conversation() {
  const acme = await organization();
  const agentId = await acme.agent({ prompt: 'Greet.', config: { voice: { mode: 'cascade' } } });
  const answer = await client.send(`POST /api/v1/agents/${agentId}/web-call`, { key: acme.keys.member });
  const { call_id: callId } = made.parse(answer.json).data;
  expect(await claimWebCall(db, { callId, processId })).toBe(true);
  const at = await engineNow(db);
  await applyReports(
    {
      ...control,
      settings: { ringTimeoutSeconds: 45, maxCallSeconds: 1_800 },
      metrics: { callEnded: () => undefined, callAnswered: () => undefined },
    },
    [
      {
        callId,
        accepted: { conversationId: null },
        facts: [{ kind: 'answered', eventId: `${callId}:answered`, at }],
      },
    ],
  );
  const readCall = z.object({
    data: z.object({ status: z.string(), external_last_status: z.string().nullable() }),
  });
  return async () => {
    const { json } = await client.send(`GET /api/v1/calls/${callId}`, { key: acme.keys.viewer });
    const { status, external_last_status: reason } = readCall.parse(json).data;
    return reason === null ? status : `${status}: ${reason}`;
  };
}

test('a conversation continues after an outage of Postgres without heartbeats', async () => {
  const status = await conversation();
  expect(await lost()).toBe(0);
  await silentFor(100);
  await unreachedFor(db, 100);
  expect(await lost()).toBe(0);
  // Postgres was back for less time than the process needs to report, and fails again.
  await reachedFor(db, 29);
  await unreachedFor(db, 46);
  expect(await lost()).toBe(0);
  expect(await inOneSecond(() => reachedFor(db, 29), wouldEnd, 0)).toBe(0);
  await heartbeat();
  await reachedFor(db, 31);
  expect(await lost()).toBe(0);
  expect(await status()).toBe('start');
});

test("a conversation continues if an outage begins between the sweep's note and its check of heartbeats", async () => {
  await conversation();
  await reachedFor(db, 3_600);
  await silentFor(100);
  expect(await wouldEnd()).toBe(1);
  await unreachedFor(db, 100);
  expect(await wouldEnd()).toBe(0);
});

test('a conversation whose process died during an outage ends half a minute after it', async () => {
  const status = await conversation();
  await silentFor(100);
  expect(await inOneSecond(() => reachedFor(db, 29), wouldEnd, 0)).toBe(0);
  await reachedFor(db, 30);
  expect(await lost()).toBe(1);
  expect(await status()).toBe('error: voice_process_lost');
});

test('a conversation whose process dies ends ninety seconds after the last heartbeat', async () => {
  const status = await conversation();
  await reachedFor(db, 3_600);
  expect(await inOneSecond(() => silentFor(89), wouldEnd, 0)).toBe(0);
  await silentFor(90);
  expect(await lost()).toBe(1);
  expect(await status()).toBe('error: voice_process_lost');
});

test.each([
  ['a scheduler that stalls for a moment', 44],
  ['a clock that steps back a little', -44],
])('%s does not delay the end of a lost conversation', async (_what, seconds) => {
  await conversation();
  await silentFor(90);
  const stall = async () => {
    await reachedFor(db, 3_600);
    await unreachedFor(db, seconds);
  };
  expect(await inOneSecond(stall, lost, 1)).toBe(1);
});

test('a conversation continues after an outage of more than an hour, whichever process returns first', async () => {
  const status = await conversation();
  await silentFor(3_700);
  await reachedFor(db, 0);
  await heartbeat(randomUUID());
  expect(await lost()).toBe(0);
  await heartbeat();
  await reachedFor(db, 31);
  expect(await lost()).toBe(0);
  expect(await status()).toBe('start');
});

test('a conversation of a living process continues until a minute after its longest duration', async () => {
  const status = await conversation();
  const lasts = (seconds: number) =>
    sql`update calls c set answered_at = answered_at - x.by, check_at = check_at - x.by
      from (select id, ${seconds} * interval '1 second' - (engine_now() - answered_at) as by
        from calls where phase = 'answered') x where c.id = x.id`.execute(db);
  for (const seconds of [180, 1_800]) {
    await lasts(seconds);
    expect(await lost()).toBe(0);
  }
  await lasts(1_861);
  expect(await lost()).toBe(1);
  expect(await status()).toBe('error: longest_duration');
});
