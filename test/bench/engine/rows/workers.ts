import type { Bed } from '../bed.ts';
import { nameBottleneck, watch, type Watched } from '../bottleneck.ts';
import { makeCampaign, runCampaign, secondsToFinish } from '../campaign.ts';
import { openCpuQuotas } from '../cpu-quota.ts';
import { type Finding, metIf, type Program } from '../program.ts';
import type { LinePlot } from '../report/plot.ts';
import { median, spread } from '../statistics.ts';

const counts = [1, 2, 4];
const campaigns = 4;
/** By the number of workers that share this machine: the least calls a second, as a multiple of one worker's. */
const goals: Readonly<Record<number, number>> = { 2: 0.9, 4: 0.8 };
/** So small that four workers leave the rest of this machine to Postgres. */
const smallMachine = 0.2;

/** Measures how calls per second grow with the number of workers, on this machine and with a CPU quota for each worker. */
export const workers: Program = {
  name: 'workers',
  title: 'Adding workers',
  async run(bed, { quick, rounds }) {
    const shared = await scale(bed, { recipients: quick ? 1_000 : 4_000, rounds, quota: null });
    const small = await scale(bed, { recipients: quick ? 500 : 2_000, rounds, quota: smallMachine });
    const findings = [
      ...findingsOf('all on this machine', shared, goals),
      ...(small === null
        ? [notMeasured]
        : findingsOf(`each on a machine of ${smallMachine} of a core`, small)),
    ];
    const series = [
      { name: 'all on this machine', runs: shared },
      { name: `each held to ${smallMachine} of a core`, runs: small },
    ];
    return {
      findings,
      plots: [plotOf(series)],
      notes: [
        `Workers: ${campaigns} campaigns side by side, the simulator at zero ring and talk time, Redis. Small machines are control groups with a processor quota, one for each worker, ` +
          'on the same machine as Postgres and Redis: they show how workers share the work, without a network. The load is read from the kernel, and every 100 ms from `pg_stat_activity`.',
        ...bottlenecksOf('all on this machine', shared, 1),
        ...bottlenecksOf(`each on a machine of ${smallMachine} of a core`, small, smallMachine),
      ],
    };
  },
};

const notMeasured: Finding = {
  what: 'calls per second by workers, each on a small machine',
  baseline: '–',
  goal: 'reported',
  measured: 'this user cannot make control groups',
  spread: '–',
  verdict: 'not measured',
};

interface Run {
  callsPerSecond: number;
  watched: Watched;
}

type Scaled = Map<number, Run[]>;

async function scale(
  bed: Bed,
  args: { recipients: number; rounds: number; quota: number | null },
): Promise<Scaled | null> {
  if (args.quota !== null) {
    const probe = openCpuQuotas(args.quota);
    if (probe === null) return null;
    probe.remove();
  }
  const scaled: Scaled = new Map(counts.map((count) => [count, []]));
  for (let round = 0; round < args.rounds; round++) {
    for (const count of counts) scaled.get(count)?.push(await dial(bed, count, args));
  }
  return scaled;
}

async function dial(
  bed: Bed,
  count: number,
  { recipients, quota }: { recipients: number; quota: number | null },
): Promise<Run> {
  const world = await bed.world('redis');
  const quotas = quota === null ? null : openCpuQuotas(quota);
  try {
    const ids: string[] = [];
    for (let n = 0; n < campaigns; n++) {
      ids.push(await makeCampaign(world, { recipients, lines: 250, firstNumber: n * recipients }));
    }
    const scheduler = await world.startReady('scheduler/src/main.ts');
    const env = { WORKER_CONCURRENCY: '200' };
    const started = await Promise.all(
      Array.from({ length: count }, () => world.startReady('worker/src/main.ts', env)),
    );
    for (const worker of started) quotas?.limit(worker.pid);
    await Promise.all(ids.map((id) => runCampaign(world, id)));
    const pids = {
      workers: started.map((worker) => worker.pid),
      Postgres: [bed.servers.postgres],
      Redis: bed.servers.redis === null ? [] : [bed.servers.redis],
      scheduler: [scheduler.pid],
    };
    const watched = await watch(world, pids, Promise.all(ids.map((id) => secondsToFinish(world, id, 180))));
    return { callsPerSecond: (recipients * campaigns) / watched.seconds, watched };
  } finally {
    await world.close();
    quotas?.remove();
  }
}

function findingsOf(
  where: string,
  scaled: Scaled | null,
  leastOf: Readonly<Record<number, number>> = {},
): Finding[] {
  if (scaled === null) return [];
  const rates = (count: number) => (scaled.get(count) ?? []).map((run) => run.callsPerSecond);
  const alone = median(rates(1));
  return counts.map((count) => {
    const least = leastOf[count];
    const times = median(rates(count)) / alone;
    return {
      what: `calls per second, ${workersOf(count)}, ${where}`,
      baseline: count === 1 ? '–' : `one worker: ${alone.toFixed(0)}`,
      goal: least === undefined ? 'reported' : `at least ${least} times`,
      measured: `${median(rates(count)).toFixed(0)}, ${times.toFixed(2)} times`,
      spread: spread(rates(count), 0),
      verdict: least === undefined ? ('told' as const) : metIf(times >= least),
    };
  });
}

/** Names the bottleneck in the last run of each number of workers. */
function bottlenecksOf(where: string, scaled: Scaled | null, ofACorePerWorker: number): string[] {
  if (scaled === null) return [];
  return counts.flatMap((count) => {
    const last = scaled.get(count)?.at(-1);
    if (!last) return [];
    const named = nameBottleneck(last.watched, { ofACorePerWorker, workers: count });
    return [`Bottleneck of ${workersOf(count)}, ${where}: ${named}.`];
  });
}

function workersOf(count: number): string {
  return `${count} worker${count === 1 ? '' : 's'}`;
}

function plotOf(series: ReadonlyArray<{ name: string; runs: Scaled | null }>): LinePlot {
  const measured = series.flatMap(({ name, runs }) => (runs === null ? [] : [{ name, runs }]));
  return {
    kind: 'lines',
    file: 'workers',
    title: 'Calls per second by workers, as a multiple of one worker',
    x: { label: 'workers', scale: 'linear' },
    y: { label: 'times', scale: 'linear' },
    series: [
      ...measured.map(({ name, runs }) => {
        const rate = (count: number) => median((runs.get(count) ?? []).map((run) => run.callsPerSecond));
        return { name, dots: true, points: counts.map((count) => ({ x: count, y: rate(count) / rate(1) })) };
      }),
      { name: 'as many times as workers', points: counts.map((count) => ({ x: count, y: count })) },
    ],
  };
}
