/**
 * Computes and simulates every step from the measured constants, and writes the tables and plots: `node test/bench/scale/report.ts [--constants
 * test/bench/scale/constants.json] [--tables test/bench/scale] [--plots docs/performance]`. The same constants give the same files.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drawBars } from '../engine/report/draw-bars.ts';
import { drawLines } from '../engine/report/draw-lines.ts';
import type { LinePlot } from '../engine/report/plot.ts';
import { constantsOf, measuredSchema, type Constants, type Measured } from './constants.ts';
import { country, holdSeconds, oneCampaign, oneMachine, steps } from './deployments.ts';
import { counterRows, holdMs, loadsOf, volumeOf, type Deployment } from './model.ts';
import { simulate, type SimulationResult } from './simulate.ts';
import { campaignTable, ms, percent, stepTable } from './step-tables.ts';

const { values } = parseArgs({
  options: {
    constants: { type: 'string', default: 'test/bench/scale/constants.json' },
    tables: { type: 'string', default: 'test/bench/scale' },
    plots: { type: 'string', default: 'docs/performance' },
  },
});
const measured = measuredSchema.parse(JSON.parse(readFileSync(values.constants, 'utf8')));
const constants = constantsOf(measured);
const seed = 20_260_101;

function run(deployment: Deployment, countSeconds = 12): SimulationResult {
  return simulate({ constants, deployment, holdSeconds, seed, warmSeconds: 48, countSeconds });
}

function perCallTable(): string[] {
  return [
    '| load | calls a claim takes | Postgres ms | of it planning | round trips | WAL bytes | worker ms | Redis ms | Redis commands |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...measured.calls.map((use: Measured['calls'][number]) =>
      [
        '',
        use.name,
        use.batches.claim.toFixed(1),
        use.postgresCpuMs.toFixed(2),
        use.postgresPlanMs.toFixed(2),
        use.roundTrips.toFixed(1),
        Math.round(use.walBytes),
        use.workerCpuMs.toFixed(2),
        use.redisCpuMs.toFixed(2),
        Math.round(use.redisCommands),
        '',
      ]
        .join(' | ')
        .trim(),
    ),
  ];
}

function constantsTable(c: Constants): string[] {
  const row = (name: string, batch: number, call: number) =>
    `| ${name} | ${ms(call)} | ${ms(batch)} | ${ms(call + batch)} | ${ms(call + batch / 10)} |`;
  return [
    '| CPU, ms | a call | a batch | a call by itself | a call among ten |',
    '| --- | --- | --- | --- | --- |',
    row('Postgres', c.postgresPerBatchMs, c.postgresPerCallMs),
    row('worker', c.workerPerBatchMs, c.workerPerCallMs),
    row('Redis', c.redisPerBatchMs, c.redisPerCallMs),
  ];
}

function paperTable(): string[] {
  return [
    '| step | change | first to fill | full at, calls/s | second | full at, calls/s | WAL MB/s a database | calls GB a day | connections |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...steps.map(({ deployment, change }) => {
      const [first, second] = loadsOf(constants, deployment);
      const volume = volumeOf(constants, deployment);
      const show = (load: typeof first) =>
        load
          ? `${load.resource} ${percent(load.utilisation)} | ${Math.round(load.callsPerSecondAtMost)}`
          : '– | –';
      return `| ${deployment.name} | ${change} | ${show(first)} | ${show(second)} | ${volume.walMegabytesPerSecond.toFixed(
        1,
      )} | ${volume.callGigabytesPerDay.toFixed(1)} | ${volume.connections} |`;
    }),
  ];
}

/** One provider in one database: the share of its lines in use, by the calls per second that they could make. */
function saturation(): LinePlot['series'] {
  const rates = [50, 100, 200, 300, 400, 600, 1_000, 1_600];
  const variants: Array<{ name: string; change: Partial<Deployment> }> = [
    { name: 'as built, at its cap', change: { isCapped: true } },
    { name: 'as built, without a cap', change: {} },
    {
      name: 'at its cap, in 16 rows',
      change: { isCapped: true, counters: { kind: 'sharded', shards: 16 } },
    },
    { name: 'were a row without a cap counted in', change: { counters: { kind: 'everywhere' } } },
  ];
  return variants.map(({ name, change }) => ({
    name,
    points: rates.map((rate) => {
      const deployment: Deployment = {
        ...country,
        campaigns: Math.ceil((rate * holdSeconds) / 10),
        organizations: 100,
        providers: 1,
        busiestProvider: 1,
        lines: Math.ceil((rate * holdSeconds) / 10) * 10,
        redisNodes: 4,
        ...change,
      };
      return { x: rate, y: run(deployment, 12).linesInUse * 100 };
    }),
  }));
}

/** Simulates the measured loads on a machine like the one that measured them. */
function comparedWithMeasured(): string[] {
  const machine: Deployment = {
    ...oneMachine,
    organizations: 20,
    busiestOrganization: 0.05,
    roundTripMs: measured.commits.roundTripMs,
    commitMs: measured.commits.commitMs,
    postgresCores: 1,
  };
  const loads: Array<{ name: string; campaigns: number; lines: number; seconds: number; isCapped: boolean }> =
    [
      { name: '100 campaigns of 10 lines', campaigns: 100, lines: 1_000, seconds: 3, isCapped: false },
      { name: '400 campaigns of 1 line', campaigns: 400, lines: 400, seconds: 2, isCapped: false },
      {
        name: '100 campaigns of 10 lines, provider capped at 300',
        campaigns: 100,
        lines: 300,
        seconds: 3,
        isCapped: true,
      },
    ];
  return [
    '| load | calls/s its lines could make | measured | simulated | fullest |',
    '| --- | --- | --- | --- | --- |',
    ...loads.map(({ name, campaigns, lines, seconds, isCapped }) => {
      const result = simulate({
        constants,
        deployment: { ...machine, campaigns, lines, isCapped },
        holdSeconds: seconds,
        seed,
        warmSeconds: 10,
        countSeconds: 20,
      });
      const found = measured.calls.find((use) => use.name === name);
      return `| ${name} | ${Math.round(lines / seconds)} | ${Math.round(found?.callsPerSecond ?? Number.NaN)} | ${Math.round(
        result.callsPerSecond,
      )} | ${result.fullest} |`;
    }),
  ];
}

const resources = [
  'Postgres CPU',
  'row of a provider',
  'row of an organization',
  'worker CPU',
  'api CPU',
  'Redis CPU',
];
const results = steps.map((step) => ({ ...step, result: run(step.deployment) }));
const holds = steps
  .filter(({ deployment }) => counterRows(deployment) === 1)
  .map(
    ({ deployment, change }) =>
      `| ${deployment.name} | ${change} | ${ms(holdMs(constants, deployment, 'advance'))} | ${ms(holdMs(constants, deployment, 'end'))} |`,
  );
writeFileSync(
  join(values.tables, 'results.md'),
  [
    '# Capacity: the figures',
    '',
    'Written by `node test/bench/scale/report.ts` from [`constants.json`](constants.json), which `node test/bench/scale/measure.ts` writes.',
    'What they mean is in [the appendix of performance](../../../docs/performance/appendix.md).',
    '',
    '## What a call takes, measured',
    '',
    ...perCallTable(),
    '',
    ...constantsTable(constants),
    '',
    '## How long a transaction holds the rows of organization and provider',
    '',
    '| step | change | an advance, ms | an end, ms |',
    '| --- | --- | --- | --- |',
    ...holds,
    '',
    '## On paper',
    '',
    ...paperTable(),
    '',
    '## Held against what was measured',
    '',
    ...comparedWithMeasured(),
    '',
    '## Simulated',
    '',
    ...stepTable(results),
    '',
    '## All lines in one campaign',
    '',
    ...campaignTable(oneCampaign.map((deployment) => ({ deployment, result: run(deployment) }))),
    '',
  ].join('\n'),
);
writeFileSync(
  join(values.plots, 'saturation.svg'),
  drawLines({
    kind: 'lines',
    file: 'saturation',
    title: 'Lines of one provider that carry a call: campaigns of 10 lines, calls of 48 s',
    x: { label: 'calls a second that its lines could make', scale: 'log' },
    y: { label: 'lines in use, %', scale: 'linear' },
    series: saturation(),
  }),
);
const built = steps.filter(({ change }) => change === 'as built');
writeFileSync(
  join(values.plots, 'utilisation.svg'),
  drawBars({
    kind: 'bars',
    file: 'utilisation',
    title: 'What the busiest second takes of each resource, on paper, as built',
    unit: '%',
    groups: resources.map((resource) => resource.replace(/^row of an? (.*)$/, '$1 row')),
    series: built.map(({ deployment }) => ({
      name: deployment.name,
      values: resources.map((resource) => [
        100 * (loadsOf(constants, deployment).find((load) => load.resource === resource)?.utilisation ?? 0),
      ]),
    })),
  }),
);
writeFileSync(
  join(values.plots, 'cost-per-call.svg'),
  drawLines({
    kind: 'lines',
    file: 'cost-per-call',
    title: 'CPU of a call, by how many are claimed together',
    x: { label: 'calls that one claim takes on', scale: 'log' },
    y: { label: 'ms of one core', scale: 'linear' },
    series: [
      { name: 'Postgres, measured', points: pointsOf('postgresCpuMs'), dots: true },
      { name: 'worker, measured', points: pointsOf('workerCpuMs'), dots: true },
      {
        name: 'Postgres, model',
        points: [1, 2, 5, 10, 20, 50, 100, 250].map((size) => ({
          x: size,
          y: constants.postgresPerCallMs + constants.postgresPerBatchMs / size,
        })),
      },
    ],
  }),
);

function pointsOf(key: 'postgresCpuMs' | 'workerCpuMs'): Array<{ x: number; y: number }> {
  return measured.calls
    .filter((use) => !use.name.includes('capped'))
    .map((use) => ({ x: Math.max(1, use.batches.claim), y: use[key] }))
    .toSorted((a, b) => a.x - b.x);
}
