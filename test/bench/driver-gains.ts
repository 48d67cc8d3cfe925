/**
 * Measures what each extension of the Postgres driver (db/src/postgres) brings: processor time for a call with all of them, and without
 * each, in turn. docs/performance.md has the figures.
 *
 *     node test/bench/driver-gains.ts [--rounds 3] [--calls 10000] [--only NAME[,NAME]]
 */
import { parseArgs } from 'node:util';
import { openBed, type Bed } from './engine/bed.ts';
import { makeCampaign, runCampaign, secondsToFinish } from './engine/campaign.ts';
import { cpuSeconds } from './engine/process-cost.ts';
import { median, spread } from './engine/statistics.ts';

interface Edit {
  file: string;
  from: string;
  to: string;
}

const driver = '/db/src/postgres/pipelined-driver.ts';
const sentAlone: Edit = {
  file: driver,
  from: 'this.defer(query);\n      return { rows: [] };',
  to: 'await this.send(query);\n      return { rows: [] };',
};
const beginAlone: Edit = {
  file: driver,
  from: 'connection.defer(CompiledQuery.raw(`start transaction${isolation}${access}`));\n    return Promise.resolve();',
  to: 'return connection.send(CompiledQuery.raw(`start transaction${isolation}${access}`)).then(() => undefined);',
};

/** The extension that a run goes without. The statements and their order stay the same. */
const variants: Record<string, readonly Edit[]> = {
  'all of them': [],
  'no pipelining': [{ file: '/db/src/connect.ts', from: 'pipeline: true', to: 'pipeline: false' }],
  'no deferral': [sentAlone],
  'no deferral of begin': [beginAlone],
  'no preparation': [
    {
      file: '/db/src/postgres/prepared.ts',
      from: 'if (!preparedQueries.has(queryId)) return undefined;',
      to: 'if (!preparedQueries.has(queryId) || sql !== "") return undefined;',
    },
  ],
  'arrays planned by their length': [
    {
      file: '/db/src/postgres/any-length.ts',
      from: 'return sql`(select ${values}::${arrays[of]})::${arrays[of]}`;',
      to: 'return sql`${values}::${arrays[of]}`;',
    },
  ],
};

interface Cost {
  worker: number;
  postgres: number;
  callsPerSecond: number;
}

const preload = new URL('engine/processes/edited-driver.ts', import.meta.url).href;

/** Milliseconds of CPU per call. */
async function costOf(bed: Bed, edits: readonly Edit[], calls: number): Promise<Cost> {
  const world = await bed.world('redis');
  try {
    const env = { NODE_OPTIONS: `--import=${preload}`, DRIVER_EDITS: JSON.stringify(edits) };
    const campaignId = await makeCampaign(world, { recipients: calls, lines: 1_000 });
    await world.startReady('scheduler/src/main.ts', env);
    const worker = await world.startReady('worker/src/main.ts', { ...env, WORKER_CONCURRENCY: '200' });
    const before = { worker: cpuSeconds(worker.pid), postgres: cpuSeconds(bed.servers.postgres) };
    await runCampaign(world, campaignId);
    const seconds = await secondsToFinish(world, campaignId, 300);
    const perCall = (name: keyof typeof before, pid: number) =>
      ((cpuSeconds(pid) - before[name]) * 1_000) / calls;
    return {
      worker: perCall('worker', worker.pid),
      postgres: perCall('postgres', bed.servers.postgres),
      callsPerSecond: calls / seconds,
    };
  } finally {
    await world.close();
  }
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    calls: { type: 'string', default: '10000' },
    only: { type: 'string' },
  },
});
const only = values.only?.split(',');
const measured = new Map<string, Cost[]>();
const bed = await openBed();
try {
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, edits] of Object.entries(variants)) {
      if (only && !only.includes(name)) continue;
      const cost = await costOf(bed, edits, Number(values.calls));
      measured.set(name, [...(measured.get(name) ?? []), cost]);
      console.error(round + 1, name, cost);
    }
  }
} finally {
  await bed.close();
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
console.log(row(['driver', 'worker, ms a call', 'Postgres, ms a call', 'both', 'calls a second']));
console.log(row(['---', '---', '---', '---', '---']));
for (const [name, costs] of measured) {
  const cell = (of: (cost: Cost) => number, digits: number) =>
    `${median(costs.map(of)).toFixed(digits)} (${spread(costs.map(of), digits)})`;
  console.log(
    row([
      name,
      cell((cost) => cost.worker, 3),
      cell((cost) => cost.postgres, 3),
      cell((cost) => cost.worker + cost.postgres, 3),
      cell((cost) => cost.callsPerSecond, 0),
    ]),
  );
}
