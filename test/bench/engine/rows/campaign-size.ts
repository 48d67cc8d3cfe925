import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Bed } from '../bed.ts';
import { callsEnded, makeCampaign, pauseCampaign, runCampaign, secondsToFinish } from '../campaign.ts';
import { memoryMb, startMeter } from '../process-cost.ts';
import { metIf, type Program } from '../program.ts';
import { median, spread, unevenness } from '../statistics.ts';
import type { World } from '../world.ts';

const lines = 1_000;
const goalUnevenness = 0.15;

/** Measures the cost of a call in campaigns of very different sizes, each in a separate database, alternately. */
export const campaignSize: Program = {
  name: 'campaign-size',
  title: 'Cost by the size of a campaign',
  async run(bed, { quick, rounds }) {
    const calls = quick ? 2_000 : 20_000;
    const sizes = quick ? [1_000, 20_000] : [1_000, 10_000, 100_000, 1_000_000];
    const measured = new Map<number, Cost[]>(sizes.map((size) => [size, []]));
    const worlds = new Map<number, Prepared>();
    try {
      for (const size of sizes) worlds.set(size, await prepare(bed, size, { calls, rounds }));
      for (let round = 0; round < rounds; round++) {
        for (const [size, prepared] of worlds) {
          measured.get(size)?.push(await dialSome(bed, prepared, { size, calls, round }));
        }
      }
    } finally {
      for (const { world } of worlds.values()) await world.close();
    }

    const all = [...measured.entries()];
    const medians = (of: (cost: Cost) => number) => all.map(([, costs]) => median(costs.map(of)));
    const listed = (values: readonly number[], digits: number) =>
      values.map((value) => value.toFixed(digits)).join(', ');
    const spreads = (of: (cost: Cost) => number, digits: number) =>
      all.map(([, costs]) => spread(costs.map(of), digits)).join(', ');
    const finding = (what: string, of: (cost: Cost) => number, digits: number) => ({
      what: `${what}, campaigns of ${sizes.map((size) => size.toLocaleString('en')).join(', ')}`,
      baseline: 'the smallest',
      goal: 'flat within 15 %',
      measured: `${listed(medians(of), digits)} (${(unevenness(medians(of)) * 100).toFixed(0)} % apart)`,
      spread: spreads(of, digits),
      verdict: metIf(unevenness(medians(of)) <= goalUnevenness),
    });
    return {
      findings: [
        finding('ms of processor for a call, all processes', (cost) => cost.cpuMs, 3),
        finding('calls completed per second', (cost) => cost.callsPerSecond, 0),
        finding('memory of the worker at its highest, MB', (cost) => cost.workerMb, 0),
      ],
      plots: [
        {
          kind: 'lines',
          file: 'campaign-size',
          title: 'Processor time for one call, by the size of its campaign (median of the runs)',
          x: { label: 'recipients in the campaign', scale: 'log' },
          y: { label: 'ms', scale: 'linear' },
          series: [
            {
              name: 'Outdial, Postgres and Redis together',
              dots: true,
              points: all.map(([size, costs]) => ({ x: size, y: median(costs.map((cost) => cost.cpuMs)) })),
            },
          ],
        },
      ],
      notes: [
        `Cost by size: ${calls.toLocaleString('en')} calls or slightly more are dialed per size and run (several small campaigns one after the other; a large one is ` +
          'paused), from freshly vacuumed tables, by a fresh worker. The processor time of Postgres, Redis, worker and scheduler is read from the kernel.',
      ],
    };
  },
};

interface Cost {
  cpuMs: number;
  callsPerSecond: number;
  workerMb: number;
}

interface Prepared {
  world: World;
  /** The campaigns that each round dials. */
  campaigns: string[][];
}

async function prepare(
  bed: Bed,
  size: number,
  { calls, rounds }: { calls: number; rounds: number },
): Promise<Prepared> {
  const world = await bed.world('redis');
  const large = size > calls;
  const one = () => makeCampaign(world, { recipients: size, lines });
  const shared = large ? [await one()] : [];
  const campaigns: string[][] = [];
  for (let round = 0; round < rounds; round++) {
    const own: string[] = [];
    for (let made = 0; !large && made < calls; made += size) own.push(await one());
    campaigns.push(large ? shared : own);
  }
  return { world, campaigns };
}

async function dialSome(
  bed: Bed,
  { world, campaigns }: Prepared,
  { size, calls, round }: { size: number; calls: number; round: number },
): Promise<Cost> {
  // Vacuuming a large campaign would otherwise count as a cost of its calls.
  await sql`vacuum analyze`.execute(world.db);
  await sql`checkpoint`.execute(world.db);
  const { scheduler, worker } = await world.startEngine({ WORKER_CONCURRENCY: '200' });
  const callsBefore = await countCalls(world);
  let cpuSpent = 0;
  let seconds = 0;
  for (const campaignId of campaigns[round] ?? []) {
    const after = await latestGate(world);
    // Measured only while calls are made, because the statements before and after scan whole tables.
    const used = startMeter(bed, [scheduler, worker]);
    await runCampaign(world, campaignId);
    if (size > calls) {
      await callsMade(world, callsBefore + calls);
      await pauseCampaign(world, campaignId);
      await callsEnded(world);
    } else {
      await secondsToFinish(world, campaignId, 120);
    }
    cpuSpent += used();
    seconds += await secondsOfCalls(world, after);
  }
  const made = (await countCalls(world)) - callsBefore;
  const workerMb = memoryMb(worker.pid).peak;
  await worker.stop();
  await scheduler.stop();
  return { cpuMs: (cpuSpent * 1000) / made, callsPerSecond: made / seconds, workerMb };
}

async function countCalls(world: World): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from calls`.execute(world.db);
  return rows[0]?.count ?? 0;
}

/** Seldom, so that counting adds little to the cost. */
async function callsMade(world: World, wanted: number): Promise<void> {
  while ((await countCalls(world)) < wanted) await sleep(400);
}

async function latestGate(world: World): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    select coalesce(max(gated_at), 'epoch'::timestamptz) as at from calls`.execute(world.db);
  return rows[0]?.at ?? new Date(0);
}

/** From the first gate to the last end of the calls after an instant. */
async function secondsOfCalls(world: World, after: Date): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from max(ended_at) - min(gated_at))::float8 as seconds from calls
    where gated_at > ${after}`.execute(world.db);
  return rows[0]?.seconds ?? Number.NaN;
}
