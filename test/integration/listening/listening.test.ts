import { randomUUID } from 'node:crypto';
import type { CallFact, ProviderListener, TelephonyProvider } from '@outdial/core';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { openProviderWorld } from '../provider-contract/world.ts';

/** A provider that reports the test's events on a connection that the worker keeps open. */
function scriptedProvider() {
  const listeners: Array<{ listener: ProviderListener; signal: AbortSignal }> = [];
  const lookedUp: string[] = [];
  const provider: TelephonyProvider = {
    name: 'scripted',
    idempotency: 'none',
    place: () => Promise.resolve({ kind: 'accepted', conversationId: null }),
    lookUp(call) {
      lookedUp.push(call.callId);
      return Promise.resolve({ kind: 'unknown' });
    },
    hangUp: () => Promise.resolve({ kind: 'confirmed' }),
    openRecording: () => Promise.resolve(null),
    async listen(listener, signal) {
      listeners.push({ listener, signal });
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  return { provider, listeners, lookedUp };
}

async function setup() {
  const scripted = scriptedProvider();
  const world = await openProviderWorld({ providerName: 'scripted', build: () => scripted.provider });
  onTestFinished(() => world.close());
  const callId = await world.call('+15550001000');
  await waitFor('accepted', async () => (await world.row(callId)).accepted_at);
  const [first] = scripted.listeners;
  if (!first) throw new Error('the worker does not listen');
  return { ...scripted, world, callId, first };
}

const fact = (kind: 'ringing' | 'answered', id: string): CallFact => ({ kind, eventId: id, at: new Date() });
const key = (digit: string): CallFact => ({ kind: 'dtmf', eventId: `key ${digit}`, at: new Date(), digit });

test('records events in the order in which they are reported, and each event once', async () => {
  const { world, callId, first } = await setup();
  const { listener } = first;
  const told = await Promise.all([
    listener.deliver(callId, fact('ringing', 'r')),
    listener.deliver(callId, fact('answered', 'a')),
    listener.deliver(callId, key('4')),
    listener.deliver(callId, key('2')),
    listener.deliver(callId, key('4')),
  ]);
  expect(told).toEqual([true, true, true, true, true]);
  const { phase, events } = await world.row(callId);
  expect(phase).toBe('answered');
  expect(events?.map((event) => event['digit'] ?? event.type)).toEqual([
    'prompt_placeholder_missing',
    'placed',
    'ringing',
    'answered',
    '4',
    '2',
  ]);
});

test('ignores events of calls of others, and of unknown calls', async () => {
  const { world, callId, first } = await setup();
  expect(await first.listener.deliver(randomUUID(), fact('answered', 'a'))).toBe(false);
  expect(await first.listener.deliver('not even an id', fact('answered', 'a'))).toBe(false);
  await world.db
    .insertInto('providers')
    .values({ name: 'another', adapter: 'simulator', settings: '{}' })
    .execute();
  await world.db.updateTable('calls').set({ provider: 'another' }).where('id', '=', callId).execute();
  expect(await first.listener.deliver(callId, fact('answered', 'a'))).toBe(false);
  expect((await world.row(callId)).answered_at).toBeNull();
  await world.db.updateTable('calls').set({ provider: 'scripted' }).where('id', '=', callId).execute();
});

test('looks up live calls if events were missed', async () => {
  const { world, callId, first, lookedUp } = await setup();
  await first.listener.eventsMissed();
  expect(lookedUp).toEqual([callId]);
  expect(await world.until(callId, 'ended')).toMatchObject({ outcome: 'unknown', line_held: false });
});

test('listens for as long as the worker lasts, and again with the next', async () => {
  const { world, callId, first, listeners } = await setup();
  await world.restartWorker();
  expect(first.signal.aborted).toBe(true);
  const second = listeners[1];
  expect(second?.signal.aborted).toBe(false);
  expect(await second?.listener.deliver(callId, fact('answered', 'a'))).toBe(true);
});
