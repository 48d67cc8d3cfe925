/**
 * Measures what a call, a job, an event, a sweep and a row cost, on a scratch Postgres and Redis, and writes the constants of
 * the capacity model: `node test/bench/scale/measure.ts [--only calls,sizes] [--out test/bench/scale/constants.json]`. About six minutes.
 * With `--only`, the other sections of the file stay as they are.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { openScaleBed, type ScaleBed } from './bed.ts';
import { measureCommits } from './commits.ts';
import { measureEvents } from './events.ts';
import { measureJobs } from './jobs.ts';
import { measureJobBytes, measureRowSizes } from './sizes.ts';
import { measureIdle, measureRivals, measureSweeps, sweepEverySeconds } from './sweeps.ts';
import { measureWorkload, type Workload } from './workload.ts';

const one = { organizations: 20, workers: 1, ringMs: 500, talkMs: 2_500 };
const workloads: Workload[] = [
  {
    ...one,
    name: 'one campaign, 1,000 lines, no talk',
    organizations: 1,
    campaigns: 1,
    linesEach: 1_000,
    callsEach: 20_000,
    ringMs: 0,
    talkMs: 0,
  },
  { ...one, name: '100 campaigns of 10 lines', campaigns: 100, linesEach: 10, callsEach: 40 },
  { ...one, name: '400 campaigns of 1 line', campaigns: 400, linesEach: 1, callsEach: 8, talkMs: 1_500 },
  {
    ...one,
    name: '100 campaigns of 10 lines, provider capped at 300',
    campaigns: 100,
    linesEach: 10,
    callsEach: 20,
    providerMaxLines: 300,
  },
];

/** The same load on the ordinary tables and on partitioned ones. */
const partitioned: Workload[] = [
  { ...one, name: 'as it is', campaigns: 100, linesEach: 10, callsEach: 40 },
  ...[
    { days: 3, tenantParts: 1, recipientParts: 1 },
    { days: 3, tenantParts: 4, recipientParts: 1 },
    { days: 90, tenantParts: 1, recipientParts: 1 },
  ].map((partitions) => ({
    ...one,
    name: `${partitions.days} days ahead, ${partitions.tenantParts} part(s) by tenant`,
    campaigns: 100,
    linesEach: 10,
    callsEach: 40,
    partitions,
  })),
];

/** The median of three runs by Postgres's CPU time, with the smallest and largest. */
async function measureAll(bed: ScaleBed, loads: readonly Workload[]) {
  const measured = [];
  for (const load of loads) {
    const runs = [];
    for (let run = 0; run < 3; run++) runs.push(await measureWorkload(bed, load));
    const sorted = runs.toSorted((a, b) => a.postgresCpuMs - b.postgresCpuMs);
    const spread = sorted.map((one) => one.postgresCpuMs);
    measured.push({ name: load.name, postgresCpuMsOfRuns: spread, ...sorted[1] });
  }
  return measured;
}

const sections: Record<string, (bed: ScaleBed) => Promise<unknown>> = {
  calls: (bed) => measureAll(bed, workloads),
  partitions: (bed) => measureAll(bed, partitioned),
  commits: measureCommits,
  events: measureEvents,
  sizes: (bed) => measureRowSizes(bed, [0, 1_000, 2_000, 4_000, 16_000]),
  jobs: measureJobs,
  jobBytes: measureJobBytes,
  rivals: (bed) => measureRivals(bed, [0, 100, 1_000, 10_000]),
  async sweeps(bed) {
    return {
      everySeconds: sweepEverySeconds,
      rounds: [
        await measureSweeps(bed, { campaigns: 100, endedCampaigns: 0, liveCalls: 1_000 }),
        await measureSweeps(bed, { campaigns: 10_000, endedCampaigns: 0, liveCalls: 100_000 }),
        await measureSweeps(bed, { campaigns: 10_000, endedCampaigns: 90_000, liveCalls: 100_000 }),
      ],
    };
  },
  async idle(bed) {
    return [
      await measureIdle(bed, { campaigns: 1, endedCampaigns: 0, liveCalls: 0 }),
      await measureIdle(bed, { campaigns: 10_000, endedCampaigns: 0, liveCalls: 0 }),
    ];
  },
};

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(sections).join(',') },
    out: { type: 'string', default: 'test/bench/scale/constants.json' },
  },
});
const object = z.record(z.string(), z.unknown());
const measured = existsSync(values.out) ? object.parse(JSON.parse(readFileSync(values.out, 'utf8'))) : {};
measured['machine'] = { cores: availableParallelism(), node: process.version };
// The load of the machine when each section began.
const loads = object.parse(measured['loadAverages'] ?? {});
measured['loadAverages'] = loads;
const bed = await openScaleBed();
try {
  for (const name of values.only.split(',')) {
    const section = sections[name];
    if (!section) {
      throw new Error(`there is no section ${name}; there are ${Object.keys(sections).join(', ')}`);
    }
    console.error(`${new Date().toISOString()} ${name}`);
    loads[name] = loadavg()[0] ?? Number.NaN;
    measured[name] = await section(bed);
    writeFileSync(values.out, `${JSON.stringify(measured, null, 2)}\n`);
  }
} finally {
  await bed.close();
}
