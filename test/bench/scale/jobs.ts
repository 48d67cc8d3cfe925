import { randomUUID } from 'node:crypto';
import { advanceCampaignJob, placeCallJob, type JobDefinition, type JobInput } from '@outdial/contracts';
import { onJob, openConsumer } from '@outdial/queues';
import { Redis } from 'ioredis';
import { quiet, type ScaleBed, type ScaleWorld } from './bed.ts';
import { infoNumber } from './meters.ts';
import { placeCallPayload } from './sizes.ts';

/** The cost of the queue alone: a job that does nothing. */
export interface JobUse {
  job: string;
  publishedTogether: number;
  redisCpuMs: number;
  /** Publisher and consumer, both in one process. */
  processCpuMs: number;
}

const jobs = 6_000;

/** CPU time of Redis and of the processes for each job, by the number of jobs published at once. */
export async function measureJobs(bed: ScaleBed): Promise<JobUse[]> {
  return [
    await measureOne(bed, placeCallJob, placeCallPayload, 1),
    await measureOne(bed, placeCallJob, placeCallPayload, 100),
    await measureOne(bed, advanceCampaignJob, () => ({ campaign_id: randomUUID() }), 1),
  ];
}

async function measureOne<Job extends JobDefinition>(
  bed: ScaleBed,
  job: Job,
  payload: () => JobInput<Job>,
  together: number,
): Promise<JobUse> {
  const world = await bed.world(1);
  const redis = new Redis(bed.redisUrl);
  try {
    const cpu = async () => {
      const info = await redis.info('cpu');
      const { user, system } = process.cpuUsage();
      return {
        redisMs: (infoNumber(info, 'used_cpu_user') + infoNumber(info, 'used_cpu_sys')) * 1_000,
        processMs: (user + system) / 1_000,
      };
    };
    const before = await cpu();
    await runAll(world, job, payload, together);
    const after = await cpu();
    return {
      job: job.name,
      publishedTogether: together,
      redisCpuMs: (after.redisMs - before.redisMs) / jobs,
      processCpuMs: (after.processMs - before.processMs) / jobs,
    };
  } finally {
    redis.disconnect();
    await world.close();
  }
}

async function runAll<Job extends JobDefinition>(
  world: ScaleWorld,
  job: Job,
  payload: () => JobInput<Job>,
  together: number,
): Promise<void> {
  const done = Promise.withResolvers<void>();
  let left = jobs;
  const consumer = openConsumer(
    { kind: 'redis', url: world.redisUrl, prefix: world.prefix },
    { log: quiet },
    [
      onJob({
        job,
        concurrency: 50,
        async handle() {
          left -= 1;
          if (left === 0) done.resolve();
        },
      }),
    ],
  );
  // Eight concurrent publishers, as in several processes: a single one would leave the queue idle between jobs.
  let toPublish = jobs;
  const publish = async () => {
    while (toPublish > 0) {
      const count = Math.min(together, toPublish);
      toPublish -= count;
      const payloads = Array.from({ length: count }, payload);
      const [only] = payloads;
      if (count === 1 && only !== undefined) await world.publisher.publish(job, only);
      else await world.publisher.publishMany(job, payloads);
    }
  };
  await Promise.all(Array.from({ length: 8 }, publish));
  await done.promise;
  await consumer.close({ drainMs: 2_000 });
}
