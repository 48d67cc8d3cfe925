import { setTimeout as sleep } from 'node:timers/promises';
import type { Backend, Bed } from '../bed.ts';
import { makeCampaign, runCampaign, secondsToFinish } from '../campaign.ts';
import { type Finding, metIf, type Program } from '../program.ts';
import type { Plot } from '../report/plot.ts';
import { median, spread } from '../statistics.ts';
import type { World } from '../world.ts';

const concurrency = 200;
const lines = 1_000;
const limitSeconds = 600;
const goalRatio = 1;
const goalCallsPerSecond = 2_000;

/** Measures calls completed per second by one worker and one scheduler, and by the floor, alternately. */
export const throughput: Program = {
  name: 'throughput',
  title: 'Throughput',
  async run(bed, { quick, rounds }) {
    const redis = await compare(bed, 'redis', quick ? 5_000 : 100_000, rounds);
    // Fewer recipients for the slower backend: at a thousand calls a second, the rounds would take a quarter of an hour.
    const postgres = await compare(bed, 'postgres', quick ? 2_000 : 10_000, rounds);
    return {
      findings: [redis.finding, postgres.finding],
      plots: [plotOf({ Redis: redis, Postgres: postgres })],
      notes: [
        `The floor (\`test/bench/engine/processes/floor.ts\`) is a bare program with the same jobs, the same concurrency (${concurrency}) and the same mandatory ` +
          'statements for a call, batched as the engine batches, and no rules: no window, gate, retry, line or lease. Both are timed ' +
          'from the start of their campaign to its end.',
      ],
    };
  },
};

interface Compared {
  finding: Finding;
  engine: number[];
  floor: number[];
}

async function compare(bed: Bed, backend: Backend, recipients: number, rounds: number): Promise<Compared> {
  const engine: number[] = [];
  const floor: number[] = [];
  for (let round = 0; round < rounds; round++) {
    floor.push(await floorCallsPerSecond(bed, backend, recipients));
    engine.push(await engineCallsPerSecond(bed, backend, recipients));
  }
  const ratios = engine.map((value, at) => value / (floor[at] ?? Number.NaN));
  const fastEnough = backend === 'postgres' || median(engine) >= goalCallsPerSecond;
  return {
    engine,
    floor,
    finding: {
      what: `calls completed per second, ${backend === 'redis' ? 'Redis' : 'the embedded default (queues on Postgres)'}, a campaign of ${recipients.toLocaleString('en')}`,
      baseline: `the floor: ${median(floor).toFixed(0)}`,
      goal: `at least ${goalRatio} of it${backend === 'redis' ? `, ${goalCallsPerSecond.toLocaleString('en')} a second` : ''}`,
      measured: `${median(engine).toFixed(0)}, ${median(ratios).toFixed(2)} of it`,
      spread: `${spread(engine, 0)}, ${spread(ratios, 2)}`,
      verdict: metIf(median(ratios) >= goalRatio && fastEnough),
    },
  };
}

/** Calls completed per second by the product, with the simulator at zero ring and talk time. */
async function engineCallsPerSecond(bed: Bed, backend: Backend, recipients: number): Promise<number> {
  return bed.inWorld(backend, async (world) => {
    const campaignId = await makeCampaign(world, { recipients, lines });
    await world.startEngine({ WORKER_CONCURRENCY: String(concurrency) });
    await runCampaign(world, campaignId);
    return recipients / (await secondsToFinish(world, campaignId, limitSeconds));
  });
}

/** The same for the floor. */
async function floorCallsPerSecond(bed: Bed, backend: Backend, recipients: number): Promise<number> {
  return bed.inWorld(backend, async (world) => {
    const campaignId = await makeCampaign(world, { recipients, lines });
    const env = { FLOOR_CAMPAIGN_ID: campaignId, FLOOR_CONCURRENCY: String(concurrency) };
    world.start('test/bench/engine/processes/floor.ts', env);
    // The floor has no `/readyz`.
    await sleep(3_000);
    await setRunning(world, campaignId);
    return recipients / (await secondsToFinish(world, campaignId, limitSeconds));
  });
}

/** Inserted directly, so that no part of the engine acts on the floor's campaign. */
async function setRunning(world: World, campaignId: string): Promise<void> {
  await world.db
    .updateTable('campaigns')
    .set({ status: 'running', started_by: world.userId })
    .where('id', '=', campaignId)
    .execute();
}

function plotOf(backends: Record<string, Compared>): Plot {
  return {
    kind: 'bars',
    file: 'throughput',
    title: 'Calls completed per second',
    groups: Object.keys(backends),
    unit: 'calls/s',
    series: [
      { name: 'the floor', values: Object.values(backends).map((one) => one.floor) },
      { name: 'Outdial', values: Object.values(backends).map((one) => one.engine) },
    ],
  };
}
