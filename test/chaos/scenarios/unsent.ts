import assert from 'node:assert/strict';
import type { PlaceDeps } from '@outdial/engine';
import type { PublishedJob } from './job-box.ts';
import type { Scenario } from './scenario.ts';
import { timeGoesBy } from './time.ts';
import type { ScenarioWorld } from './world.ts';

/** Calls that pass their gate and are not sent. */

const ofEachKind = 3;
/** Longer than a send may begin after its gate (engine/timing.ts, sendStartMs). */
const tooLateMs = 2_200;

/** What goes wrong in a worker between the gate and the send. */
const exits: Record<string, (deps: PlaceDeps) => Partial<PlaceDeps>> = {
  'media servers are full': () => ({
    mediaRuntimes: { ...noRoom, choose: async () => ({ kind: 'wait', retryAfterMs: 1_000, reason: 'full' }) },
  }),
  'the choice of a media server fails': () => ({
    mediaRuntimes: { ...noRoom, choose: () => Promise.reject(new Error('no media server answers')) },
  }),
  'the knowledge base fails': () => ({ knowledgeAccess: () => Promise.reject(new Error('no token')) }),
  'the preparation takes too long': () => ({
    knowledgeAccess: () => new Promise((resolve) => setTimeout(() => resolve(null), tooLateMs)),
  }),
  nothing: () => ({}),
};

const noRoom: NonNullable<PlaceDeps['mediaRuntimes']> = {
  freeCapacity: async () => null,
  choose: async () => ({ kind: 'none' }),
  release: async () => undefined,
};

/**
 * At a provider that keeps no ids, nothing else would protect these people: a look-up cannot tell that a call was never sent, and closes it
 * as one that may have been made. At one with lasting ids the look-up would place it again.
 */
export const exitsBeforeTheSend: Scenario = {
  name: 'workers leave calls unsent in every way there is, all at once, at a provider without idempotency',
  promise: 'a call that was never dialed uses no attempt',
  options: { carrier: 'twilio' },
  async run(world) {
    const kinds = Object.entries(exits);
    const numbers = Array.from(
      { length: ofEachKind * kinds.length },
      (_, n) => `+1555100${String(n).padStart(4, '0')}`,
    );
    await world.campaign({ numbers, config: { max_concurrent_calls: numbers.length } });
    for (const job of world.jobs.take('advance-campaign')) await world.engine.run(job);
    const jobs = world.jobs.take('place-call');
    assert.equal(jobs.length, numbers.length);
    await Promise.all(kinds.map(([name, exit], at) => runIn(world, name, exit, ofKind(jobs, at))));

    const sent = () => [...world.twilio.calls.values()];
    // On a busy machine the sound worker may be too late for some as well.
    assert.ok(sent().length <= ofEachKind, 'a call was sent that its worker could not prepare');
    // The whole grace of a look-up, then the half minute for which the provider is left alone.
    world.twilio.setPace(undefined);
    await timeGoesBy(world, 13);
    await world.clock.advance(20_000);
    await timeGoesBy(world, 6);

    const calls = await world.calls();
    const closed = calls.filter((call) => call.outcome === 'unknown');
    assert.equal(closed.length, 0, `${closed.length} calls that were never sent count as possibly made`);
    const dialed = sent().map((call) => call.form.get('To') ?? '');
    assert.deepEqual(dialed.toSorted(), numbers, 'not everybody was dialed exactly once');
    assert.ok(
      calls.every((call) => call.attempt === 1),
      'an attempt was used by a call that was never sent',
    );
    await world.countersAgree();
  },
};

const ofKind = (jobs: readonly PublishedJob[], at: number) =>
  jobs.slice(at * ofEachKind, (at + 1) * ofEachKind);

/** A preparation that fails fails its job, as in a worker. */
async function runIn(
  world: ScenarioWorld,
  name: string,
  exit: (deps: PlaceDeps) => Partial<PlaceDeps>,
  jobs: readonly PublishedJob[],
): Promise<void> {
  const engine = world.openEngine(name.replaceAll(' ', '-'));
  Object.assign(engine.deps, exit(engine.deps));
  await Promise.allSettled(jobs.map((job) => engine.run(job)));
}
