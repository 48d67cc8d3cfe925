import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { placeCallJob } from '@outdial/contracts';
import { onJob, openConsumer, openPublisher, openQueues, type QueueBackendConfig } from '@outdial/queues';
import { waitFor } from '../../support/stack/wait-for.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioWorld } from './world.ts';

function queueOf(world: ScenarioWorld): QueueBackendConfig {
  if (world.redisUrl === null) throw new Error('this scenario needs a Redis');
  return { kind: 'redis', url: world.redisUrl, prefix: `scenario-${randomBytes(6).toString('hex')}` };
}

function claim() {
  return {
    recipient_id: randomUUID(),
    claim_id: randomUUID(),
    attempt: 1,
    campaign_id: randomUUID(),
    organization_id: randomUUID(),
  };
}

export const queueNeverRetries: Scenario = {
  name: 'the handler of a placement fails',
  promise: 'one attempt, one call',
  async run(world) {
    const config = queueOf(world);
    const { log } = world.control;
    let runs = 0;
    const consumer = openConsumer(config, { log }, [
      onJob({
        job: placeCallJob,
        concurrency: 1,
        handle() {
          runs += 1;
          return Promise.reject(new Error('the worker lost its database'));
        },
      }),
    ]);
    world.onClose(() => consumer.close({ drainMs: 100 }));
    const publisher = openPublisher(config, { log });
    world.onClose(() => publisher.close());
    const opened = openQueues(config, { log });
    world.onClose(() => opened.close());
    await publisher.publish(placeCallJob, claim());
    const queue = opened.queues.find((one) => one.name === placeCallJob.name);
    assert.ok(queue);
    await waitFor('the job has run', () => runs > 0);
    const counts = await waitFor('the job is at rest', async () => {
      const found = await queue.getJobCounts('failed', 'delayed', 'waiting', 'active');
      return (found['active'] ?? 1) === 0 ? found : null;
    });
    assert.deepEqual([counts['failed'], counts['delayed'], counts['waiting'], runs], [1, 0, 0, 1]);
    // The queue handles a job whose worker died in the same way.
    assert.equal(placeCallJob.rerunAfterCrash, false);
  },
};

export const olderAndNewerWorkers: Scenario = {
  name: 'jobs of a newer publisher have unknown fields, and jobs of an older one lack optional fields',
  promise: 'versions run side by side',
  async run(world) {
    const campaignId = await world.campaign({ numbers: ['+15551000001', '+15551000002'] });
    const newer = {
      job: 'advance-campaign',
      payload: { campaign_id: campaignId, reason: 'of a newer version', depth: 3 },
    };
    world.jobs.take();
    await world.engine.run(newer);
    const [one, other] = world.jobs.take('place-call');
    assert.ok(one && other);
    await world.engine.run({ ...one, payload: { ...one.payload, trace_id: 'of a newer version' } });
    assert.equal(world.accepted().length, 1);
    // Without the fields that identify the row, the job does nothing, and the claim expires.
    const { recipient_id, claim_id, attempt } = other.payload;
    await world.engine.run({ ...other, payload: { recipient_id, claim_id, attempt } });
    assert.equal(world.accepted().length, 1);
    for (let second = 0; second < 13; second++) {
      await world.clock.advance(1_000);
      await world.sweep();
      await world.engine.settle();
    }
    assert.equal(world.accepted().length, 2);
    await world.countersAgree();
  },
};
