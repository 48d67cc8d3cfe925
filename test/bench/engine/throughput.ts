import { setTimeout as sleep } from 'node:timers/promises';
import type { Backend, Bed } from './bed.ts';
import { makeCampaign, runCampaign, secondsToFinish } from './campaign.ts';

const concurrency = 200;
const limitSeconds = 600;

/** Calls completed per second by the product: one worker, one scheduler, the simulator without ring and talk time. */
export async function engineCallsPerSecond(bed: Bed, backend: Backend, recipients: number): Promise<number> {
  const world = await bed.world(backend);
  try {
    world.start('scheduler/src/main.ts');
    world.start('worker/src/main.ts', { WORKER_CONCURRENCY: String(concurrency) });
    const campaignId = await makeCampaign(world, { recipients, lines: 1_000 });
    await sleep(2_000);
    await runCampaign(world, campaignId);
    return recipients / (await secondsToFinish(world, campaignId, limitSeconds));
  } finally {
    await world.close();
  }
}

/** The same by the floor. */
export async function floorCallsPerSecond(bed: Bed, backend: Backend, recipients: number): Promise<number> {
  const world = await bed.world(backend);
  try {
    const campaignId = await makeCampaign(world, { recipients, lines: 1_000 });
    const env = { FLOOR_CAMPAIGN_ID: campaignId, FLOOR_CONCURRENCY: String(concurrency) };
    const started = world.start('test/bench/engine/floor.ts', env);
    const done = () =>
      world.db
        .selectFrom('campaign_recipients')
        .select((eb) => eb.fn.countAll<string>().as('count'))
        .where('state', '=', 'done')
        .executeTakeFirstOrThrow();
    // Its start-up is not the floor's.
    let beganMs = 0;
    for (;;) {
      const count = Number((await done()).count);
      if (beganMs === 0 && count > 0) beganMs = performance.now();
      if (count === recipients) return recipients / ((performance.now() - beganMs) / 1000);
      if (started.exitCode !== null) throw new Error('the floor ended early');
      await sleep(50);
    }
  } finally {
    await world.close();
  }
}
