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
    await publisher.publish(placeCallJob, { call_id: randomUUID() });
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
    world.jobs.take();
    const newer = { campaign_id: campaignId, reason: 'of a newer version', depth: 3 };
    await world.engine.run({ job: 'advance-campaign', payload: newer });
    assert.equal(world.accepted().length, 2);
    await world.campaign({ numbers: ['+15551000003'] });
    const [job] = world.jobs.take();
    assert.ok(job);
    await world.engine.run({ ...job, payload: { campaign_id: job.payload['campaign_id'] } });
    assert.equal(world.accepted().length, 3);
    await world.countersAgree();
  },
};
