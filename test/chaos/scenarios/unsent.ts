import assert from 'node:assert/strict';
import type { GatedCall, SendDeps } from '@outdial/engine';
import { scenarioSettings } from './engine.ts';
import type { Scenario } from './scenario.ts';
import { timeGoesBy } from './time.ts';
import { numbersOf, type ScenarioWorld } from './world.ts';

/** Calls that pass their gate but are not sent. */

const ofEachKind = 3;

/** Faults in a worker between the gate and the send. */
const exits: Record<string, (deps: SendDeps) => Partial<SendDeps>> = {
  'media servers are full': () => ({
    mediaRuntimes: {
      ...noMediaServers,
      choose: async () => ({ kind: 'wait', retryAfterMs: 1_000, reason: 'full' }),
    },
  }),
  'the choice of a media server fails': () => ({
    mediaRuntimes: { ...noMediaServers, choose: () => Promise.reject(new Error('no media server answers')) },
  }),
  'the knowledge base fails': () => ({ knowledgeAccess: () => Promise.reject(new Error('no token')) }),
  'the preparation takes too long': () => ({
    settings: { ...scenarioSettings, sendStartMs: 100 },
    knowledgeAccess: () => new Promise((resolve) => setTimeout(() => resolve(null), 150)),
  }),
  nothing: () => ({}),
};

const noMediaServers: NonNullable<SendDeps['mediaRuntimes']> = {
  freeCapacity: async () => null,
  choose: async () => ({ kind: 'none' }),
  release: async () => undefined,
};

/**
 * Uses a provider without idempotency, where a look-up cannot tell that a call was never sent, and closes the call as possibly made. At a provider
 * with lasting idempotency, the look-up would repeat the send and hide the fault.
 */
export const exitsBeforeTheSend: Scenario = {
  name: 'workers leave calls unsent in every possible way, all at once, at a provider without idempotency',
  promise: 'a call that was never dialed uses no attempt',
  options: { carrier: 'twilio' },
  async run(world) {
    const kinds = Object.entries(exits);
    const numbers = numbersOf(ofEachKind * kinds.length);
    const campaignId = await world.campaign({ numbers, config: { max_concurrent_calls: numbers.length } });
    const dialed = await world.engine.dial(campaignId);
    assert.equal(dialed.length, numbers.length);
    await Promise.all(kinds.map(([name, exit], at) => sendIn(world, name, exit, ofKind(dialed, at))));

    const sent = () => [...world.twilio.calls.values()];
    assert.ok(sent().length <= ofEachKind, 'a worker sent a call that it could not prepare');
    // The grace period of a look-up, and then the half minute for which the circuit may be open.
    world.twilio.setPace(undefined);
    await timeGoesBy(world, 13);
    await world.clock.advance(20_000);
    await timeGoesBy(world, 6);

    const calls = await world.calls();
    const closed = calls.filter((call) => call.outcome === 'unknown');
    assert.equal(closed.length, 0, `${closed.length} calls that were never sent count as possibly made`);
    const called = sent().map((call) => call.form.get('To') ?? '');
    assert.deepEqual(called.toSorted(), numbers, 'not every recipient was dialed exactly once');
    assert.ok(
      calls.every((call) => call.attempt === 1),
      'a call that was never sent burned an attempt',
    );
    await world.countersAgree();
  },
};

const ofKind = (calls: readonly GatedCall[], at: number) =>
  calls.slice(at * ofEachKind, (at + 1) * ofEachKind);

async function sendIn(
  world: ScenarioWorld,
  name: string,
  exit: (deps: SendDeps) => Partial<SendDeps>,
  calls: readonly GatedCall[],
): Promise<void> {
  const engine = world.openEngine(name.replaceAll(' ', '-'));
  Object.assign(engine.deps, exit(engine.deps));
  await Promise.allSettled(calls.map((call) => engine.send(call)));
}
