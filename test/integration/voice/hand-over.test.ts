import { randomUUID } from 'node:crypto';
import {
  chooseVoiceProcess,
  createAgent,
  addPrompt,
  forgetVoiceProcess,
  readVoiceRoom,
  saveVoiceHeartbeat,
} from '@outdial/db';
import { createMediaRuntimes } from '@outdial/worker/media-runtimes';
import { expect, test } from 'vitest';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { phoneNumbers, runCampaign } from '../engine/campaign.ts';

const secret = 'a-secret-of-these-tests-of-32-characters';
const endpoints = [['llm', 'spare'], ['stt'], ['tts']];

function openStack() {
  return useStack({
    backend: 'postgres',
    mediaRuntimes: (db) =>
      createMediaRuntimes({ db, secret, ringTimeoutSeconds: 20, log: { warn: () => undefined } }),
  });
}

const process = (change: Partial<Parameters<typeof saveVoiceHeartbeat>[1]> = {}) => ({
  id: randomUUID(),
  url: 'ws://voice-1:8090',
  capacity: 2,
  activeCalls: 0,
  draining: false,
  endpointsDown: [],
  ...change,
});

test('a campaign of an agent that talks here waits while no voice process takes calls, and uses no attempt', async () => {
  const stack = await openStack();
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

  await saveVoiceHeartbeat(stack.db, process());
  await stack.clock.advance(3_000);
  await campaign.finished();
  expect((await campaign.dials()).map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
});

test('calls go to the process with the most room, until all are full', async () => {
  const { db } = await openStack();
  const choose = () => chooseVoiceProcess(db, { callId: randomUUID(), endpoints, heldForSeconds: 60 });
  expect(await choose()).toEqual({ kind: 'none', reason: 'no_voice_process' });
  const small = process({ url: 'ws://small', capacity: 1 });
  const large = process({ url: 'ws://large', capacity: 2 });
  await saveVoiceHeartbeat(db, small);
  await saveVoiceHeartbeat(db, large);
  await saveVoiceHeartbeat(db, process({ url: 'ws://drains', draining: true }));
  expect(await readVoiceRoom(db, endpoints)).toBe(3);
  const urls = [await choose(), await choose(), await choose()].map((one) =>
    'url' in one ? one.url : one.reason,
  );
  expect(urls.toSorted()).toEqual(['ws://large', 'ws://large', 'ws://small']);
  expect(await choose()).toEqual({ kind: 'none', reason: 'voice_processes_full' });
  await forgetVoiceProcess(db, large.id);
  expect(await readVoiceRoom(db, endpoints)).toBe(0);
});

test('a process is left out while every endpoint for one part of the agent is down for it', async () => {
  const { db } = await openStack();
  const only = process({ endpointsDown: ['llm'] });
  await saveVoiceHeartbeat(db, only);
  expect(await readVoiceRoom(db, endpoints)).toBe(2);
  await saveVoiceHeartbeat(db, { ...only, endpointsDown: ['llm', 'spare'] });
  expect(await readVoiceRoom(db, endpoints)).toBe(0);
  expect(await chooseVoiceProcess(db, { callId: randomUUID(), endpoints, heldForSeconds: 60 })).toEqual({
    kind: 'none',
    reason: 'voice_endpoint_down',
  });
});
