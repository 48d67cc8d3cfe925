import { randomUUID } from 'node:crypto';
import {
  chooseVoiceProcess,
  connect,
  createAgent,
  addPrompt,
  deleteVoiceProcess,
  setProvider,
  reserveVoiceCall,
  readVoiceCapacity,
  releaseVoiceCall,
  saveVoiceHeartbeat,
} from '@outdial/db';
import { dialDue, inGate, placeDirectCall, retryQueuedCalls } from '@outdial/engine';
import { expect, onTestFinished, test } from 'vitest';
import { engineInStep } from '../../compliance/campaign/engine-in-step.ts';
import { createTestDatabase } from '../../support/database.ts';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { allFinished, phoneNumbers, runCampaign } from '../engine/campaign.ts';
import { mediaRuntimes } from './talking-process.ts';

const endpoints = [['llm', 'spare'], ['stt'], ['tts']];
/** The organization of calls without a record. */
const organizationId = randomUUID();

/** A database in which calls choose their voice process. */
async function openDatabase() {
  const database = await createTestDatabase();
  const db = connect({ databaseUrl: database.databaseUrl });
  onTestFinished(async () => {
    await db.destroy();
    await database.drop();
  });
  return {
    db,
    choose: (callId: string = randomUUID(), reservedForSeconds = 60) =>
      chooseVoiceProcess(db, { organizationId, callId, endpoints, reservedForSeconds }),
    capacity: () => readVoiceCapacity(db, { organizationId, endpoints }),
  };
}

/** A stack whose calls are asked to wait for a media server. `released`: the calls that gave back their capacity. */
async function stackWithoutRoom(retryAfterMs: number) {
  const released: string[] = [];
  const stack = await useStack({
    backend: anyBackend(),
    schedulers: 0,
    mediaRuntimes: () => ({
      freeCapacity: () => Promise.resolve(null),
      choose: () => Promise.resolve({ kind: 'wait', retryAfterMs, reason: 'no_voice_process' }),
      release: async (callId) => void released.push(callId),
    }),
  });
  return { stack, released };
}

const process = (change: Partial<Parameters<typeof saveVoiceHeartbeat>[1]> = {}) => ({
  id: randomUUID(),
  url: 'ws://voice-1:8090',
  webUrl: null,
  capacity: 2,
  activeCalls: 0,
  draining: false,
  endpointsDown: [],
  ...change,
});

test('a campaign of an agent that talks here waits while no voice process takes calls, and uses no attempt', async () => {
  const stack = await useStack({ backend: anyBackend(), mediaRuntimes });
  const organization = await stack.organization();
  const agentId = await createAgent(stack.db, {
    organizationId: organization.id,
    name: 'Ada',
    config: { voice: { mode: 'cascade' } },
  });
  await addPrompt(stack.db, { organizationId: organization.id, agentId, level: 1, prompt: 'You are Ada.' });
  const campaign = await runCampaign(stack, { ...organization, agentId }, { phone_numbers: phoneNumbers(3) });
  await waitFor('the campaign to wait', async () => {
    const dialing = await organization.clients.viewer.readDialing(campaign.id);
    return dialing?.waitingFor === 'media_runtime';
  });
  expect(await campaign.dials()).toEqual([]);

  const only = process();
  await saveVoiceHeartbeat(stack.db, only);
  await stack.clock.advance(3_000);
  await waitFor('the campaign to finish', async () => {
    // A process without a heartbeat for ten seconds takes no calls.
    await saveVoiceHeartbeat(stack.db, only);
    return allFinished(stack, [campaign]);
  });
  expect((await campaign.dials()).map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
});

test('a campaign dials only as many calls as there is capacity for, and retries shortly', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const organization = await stack.organization();
  const campaign = await runCampaign(
    stack,
    organization,
    { phone_numbers: phoneNumbers(10) },
    { max_concurrent_calls: 10 },
  );
  const freeCapacity = () => Promise.resolve(2);
  const mediaRuntimes = {
    freeCapacity,
    choose: () => Promise.resolve({ kind: 'none' as const }),
    release: () => Promise.resolve(),
  };
  const metrics = { callPlaced: () => undefined, callEnded: () => undefined, gateRefused: () => undefined };
  const deps = { ...stack.control, metrics, mediaRuntimes };
  const { steps } = await inGate(stack.db, (tx) => dialDue(tx, deps, [campaign.id], () => 100));
  expect(steps.get(campaign.id)).toMatchObject({ kind: 'moved', calls: [{}, {}], more: false });
  expect(await organization.clients.viewer.readDialing(campaign.id)).toMatchObject({
    waitingFor: 'media_runtime',
  });
});

test('the capacity of a call is reserved for its longest duration, even if its carrier queued it beyond the first reservation', async () => {
  const { db, choose, capacity } = await openDatabase();
  const only = process({ capacity: 1 });
  await saveVoiceHeartbeat(db, only);
  const callId = randomUUID();
  await choose(callId, -1);
  expect(await capacity()).toBe(1);
  const reserve = () => reserveVoiceCall(db, { callId, processId: only.id, longestSeconds: 600 });
  await reserve();
  expect(await capacity()).toBe(0);

  await releaseVoiceCall(db, callId);
  await choose(callId, -1);
  // A heartbeat deletes expired reservations.
  await saveVoiceHeartbeat(db, only);
  expect(await capacity()).toBe(1);
  await reserve();
  await saveVoiceHeartbeat(db, only);
  expect(await choose()).toEqual({ kind: 'none', reason: 'voice_processes_full' });
});

test('the capacity of a call is used at the process that answers it', async () => {
  const { db, choose } = await openDatabase();
  const chosen = process({ capacity: 1 });
  await saveVoiceHeartbeat(db, chosen);
  const callId = randomUUID();
  await choose(callId);
  const answering = process({ capacity: 1, url: 'ws://voice-2:8090' });
  await saveVoiceHeartbeat(db, answering);
  await reserveVoiceCall(db, { callId, processId: answering.id, longestSeconds: 600 });
  expect(await choose()).toMatchObject({ url: chosen.url });
});

test('a direct call that no media server accepts is not tried again at once for the line that it gave back', async () => {
  const { stack, released } = await stackWithoutRoom(600_000);
  const organization = await stack.organization({ max_lines: 5 });
  const ids: string[] = [];
  for (const number of phoneNumbers(4)) {
    const { id } = await organization.clients.member.makeCall(organization.agentId, { to_phone: number });
    ids.push(id ?? '');
    await waitFor('the call to be deferred', () => released.includes(id ?? ''));
  }
  expect(released).toEqual(ids);
});

test('a direct call takes no turn in the pace from others while no media server has room for it', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  await stack.clock.stop();
  const organization = await stack.organization();
  const agentId = await createAgent(stack.db, { organizationId: organization.id, name: 'Ada' });
  await addPrompt(stack.db, { organizationId: organization.id, agentId, level: 1, prompt: 'You are Ada.' });
  const now = new Date(await stack.clock.now());
  await setProvider(stack.db, { name: 'simulator', changes: { callsPerSecond: 1 / 10 }, now });
  const mediaRuntimes = {
    freeCapacity: (_tx: unknown, of: { agentId: string }) =>
      Promise.resolve(of.agentId === agentId ? 0 : null),
    choose: () => Promise.resolve({ kind: 'none' as const }),
    release: () => Promise.resolve(),
  };
  const deps = { ...engineInStep(stack).deps, mediaRuntimes };
  const { member } = organization.clients;
  const [number = '', other = ''] = phoneNumbers(2);
  const waits = await member.makeCall(agentId, { to_phone: number });
  await stack.clock.advance(1);
  const next = await member.makeCall(organization.agentId, { to_phone: other });
  expect(await placeDirectCall(deps, waits.id ?? '')).toEqual({ kind: 'waiting', reason: 'media_runtime' });
  expect(await placeDirectCall(deps, next.id ?? '')).toMatchObject({ kind: 'sent' });
  // Its deadline stays.
  await stack.clock.advance(3_600_000);
  await retryQueuedCalls(deps);
  expect(await member.readCall(waits.id ?? '')).toMatchObject({ external_last_status: 'no_line_in_time' });
});

test('a direct call that no media server accepts uses no probe of a broken provider, and releases its capacity', async () => {
  const { stack, released } = await stackWithoutRoom(60_000);
  const organization = await stack.organization();
  await stack.db.updateTable('providers').set({ failures_in_a_row: 100 }).execute();
  const [number = ''] = phoneNumbers(1);
  const { id } = await organization.clients.member.makeCall(organization.agentId, { to_phone: number });
  await waitFor('the call to be deferred', () => released.includes(id ?? ''));
  const { closed_until } = await stack.db
    .selectFrom('providers')
    .select('closed_until')
    .where('name', '=', 'simulator')
    .executeTakeFirstOrThrow();
  expect(closed_until).toBeNull();
});

test('calls go to the process with the most free capacity, until all are full', async () => {
  const { db, choose, capacity } = await openDatabase();
  expect(await choose()).toEqual({ kind: 'none', reason: 'no_voice_process' });
  const small = process({ url: 'ws://small', capacity: 1 });
  const large = process({ url: 'ws://large', capacity: 2 });
  await saveVoiceHeartbeat(db, small);
  await saveVoiceHeartbeat(db, large);
  await saveVoiceHeartbeat(db, process({ url: 'ws://drains', draining: true }));
  expect(await capacity()).toBe(3);
  const urls = [await choose(), await choose(), await choose()].map((one) =>
    'url' in one ? one.url : one.reason,
  );
  expect(urls.toSorted()).toEqual(['ws://large', 'ws://large', 'ws://small']);
  expect(await choose()).toEqual({ kind: 'none', reason: 'voice_processes_full' });
  await deleteVoiceProcess(db, large.id);
  expect(await capacity()).toBe(0);
});

test('a call that is placed again takes its own place, though all others are taken', async () => {
  const { db, choose } = await openDatabase();
  await saveVoiceHeartbeat(db, process({ url: 'ws://only', capacity: 1 }));
  const callId = randomUUID();
  expect(await choose(callId)).toMatchObject({ url: 'ws://only' });
  expect(await choose(callId)).toMatchObject({ url: 'ws://only' });
  expect(await choose()).toEqual({ kind: 'none', reason: 'voice_processes_full' });
});

test('a process is left out while every endpoint for one part of the agent is down for it', async () => {
  const { db, choose, capacity } = await openDatabase();
  const only = process({ endpointsDown: ['llm'] });
  await saveVoiceHeartbeat(db, only);
  expect(await capacity()).toBe(2);
  await saveVoiceHeartbeat(db, { ...only, endpointsDown: ['llm', 'spare'] });
  expect(await capacity()).toBe(0);
  expect(await choose()).toEqual({ kind: 'none', reason: 'voice_endpoint_down' });
});
