import assert from 'node:assert/strict';
import { addSuppressions } from '@outdial/db';
import { scenarioSettings, type ScenarioEngine } from './engine.ts';
import type { PublishedJob } from './job-box.ts';
import type { Scenario } from './scenario.ts';
import { timeGoesBy } from './time.ts';
import { numbersOf, type ScenarioWorld } from './world.ts';

const people = 40;
const roundsAtMost = 60;

/**
 * Holds no locks: two workers dial during suppressions, config changes and pauses. Only the deadline is artificial, because no machine is slow enough
 * to miss two seconds. It starts too short, and doubles until some sends meet it. At a provider without idempotency, a late call whose attempt is not
 * undone would be closed as possibly made.
 */
export const lateSendsAtFullSpeed: Scenario = {
  name: 'two workers dial at full speed during changes, and many sends miss their deadline',
  promise: 'a call that was never dialed uses no attempt',
  options: { carrier: 'twilio' },
  async run(world) {
    const numbers = numbersOf(people);
    world.twilio.setPace(undefined);
    const campaignId = await world.campaign({ numbers, config: { max_concurrent_calls: people } });
    // Too short at first.
    const deadline = { ...scenarioSettings, sendStartMs: 4 };
    const workers = [world.engine, world.openEngine('other')];
    for (const worker of workers) worker.deps.settings = deadline;

    const late = await dialAll(world, campaignId, workers, deadline);
    assert.ok(late > 0, 'no send was late');
    // Enough for the look-ups of all calls, and for the half minute for which a circuit may be open.
    await timeGoesBy(world, 15);
    await world.clock.advance(20_000);
    await timeGoesBy(world, 6);

    const dialed = new Set(world.twilio.callIds());
    const calls = await world.calls();
    const unsent = calls.filter((call) => !dialed.has(call.id));
    assert.equal(unsent.length, 0, `${unsent.length} calls that were never sent kept their attempts`);
    assert.deepEqual(
      calls.map((call) => `${call.phone_number} ${call.attempt} ${call.outcome}`).toSorted(),
      numbers.map((number) => `${number} 1 completed`),
    );
    assert.deepEqual(
      [...world.twilio.calls.values()].map((call) => call.form.get('To') ?? '').toSorted(),
      numbers,
      'not every recipient was dialed exactly once',
    );
    const left = (await world.recipients()).filter((one) => one.state !== 'done' || one.attempts !== 1);
    assert.deepEqual(left, []);
    await world.countersAgree();
  },
};

/** Runs jobs during changes until every call is sent; returns how many sends were late. */
async function dialAll(
  world: ScenarioWorld,
  campaignId: string,
  workers: readonly ScenarioEngine[],
  deadline: { sendStartMs: number },
): Promise<number> {
  let late = 0;
  for (let round = 0; round < roundsAtMost; round++) {
    const recipients = await world.recipients();
    if (recipients.every((one) => one.state === 'dialing' || one.state === 'done')) return late;
    const jobs = world.jobs.take();
    const done = new AbortController();
    const [answers] = await Promise.all([
      Promise.all(
        jobs.map(async (job, at) => dialAndSend(workers[at % workers.length] ?? world.engine, job)),
      ).finally(() => done.abort()),
      suppressUntil(world, done.signal),
      // Rarely, because these stop the dialing.
      round % 5 === 4 ? changeAndPause(world, campaignId) : undefined,
    ]);
    const sent = answers.flat();
    const tooLate = sent.filter((answer) => answer === 'too_late').length;
    late += tooLate;
    if (tooLate > 0 && tooLate === sent.length) deadline.sendStartMs *= 2;
    await world.sweep();
  }
  throw new Error('not every recipient was dialed');
}

async function dialAndSend(worker: ScenarioEngine, { job, payload }: PublishedJob) {
  if (job !== 'advance-campaign') {
    await worker.run({ job, payload });
    return [];
  }
  const calls = await worker.dial(payload['campaign_id'], people / 4);
  return Promise.all(calls.map((call) => worker.send(call)));
}

/** Suppresses other numbers, one after another. Each suppression waits for open gates, and later gates wait for it. */
async function suppressUntil(world: ScenarioWorld, signal: AbortSignal): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    await addSuppressions(world.db, {
      organizationId: world.organization.id,
      suppressions: [{ phoneNumber: `+1555200${String(n % 10_000).padStart(4, '0')}`, reason: null }],
    });
  }
}

async function changeAndPause(world: ScenarioWorld, campaignId: string): Promise<void> {
  const { admin } = world.organization.clients;
  await admin.setConfig(campaignId, { max_concurrent_calls: people + 1 });
  await admin.setStatus(campaignId, 'paused');
  await admin.setStatus(campaignId, 'running');
}
