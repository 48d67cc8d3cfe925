import type { Counters, Deployment } from './model.ts';

/** Calls are allowed for twelve hours a day. The busiest second is 1.8 times above the mean. A third of the calls are answered. */
const day = { openHours: 12, peakFactor: 1.8, transcriptChars: 2_000, answerRate: 0.35, eventsPerCall: 3 };
/** Machines in one data centre, and disks that flush in 0.8 ms. */
const apart = { roundTripMs: 0.3, commitMs: 0.8 };
const together = { roundTripMs: 0.07, commitMs: 0.5 };

const whereCapped: Counters = { kind: 'where_capped' };
const everywhere: Counters = { kind: 'everywhere' };
const sharded: Counters = { kind: 'sharded', shards: 16 };

/** Four separate installations that divide the country between them. */
const cells = { databases: 4, postgresCores: 16, redisNodes: 4 };

/** A call takes 48 seconds on average: 20 of ringing, and 80 of talk for the third that is answered. */
export const holdSeconds = 48;

export const oneMachine: Deployment = {
  ...day,
  ...together,
  name: 'one machine',
  campaigns: 100,
  organizations: 5,
  providers: 1,
  lines: 1_000,
  callsPerDay: 500_000,
  busiestOrganization: 0.4,
  busiestProvider: 1,
  databases: 1,
  postgresCores: 2,
  workers: 1,
  apis: 1,
  schedulers: 1,
  redisNodes: 1,
  isCapped: false,
  counters: whereCapped,
};

export const fourMachines: Deployment = {
  ...oneMachine,
  ...apart,
  name: '4 machines',
  campaigns: 500,
  organizations: 50,
  providers: 2,
  lines: 5_000,
  callsPerDay: 2_500_000,
  busiestOrganization: 0.2,
  busiestProvider: 0.7,
  postgresCores: 4,
  workers: 2,
  apis: 2,
  schedulers: 2,
};

export const sixteenMachines: Deployment = {
  ...fourMachines,
  name: '16 machines',
  campaigns: 2_500,
  organizations: 250,
  providers: 4,
  lines: 25_000,
  callsPerDay: 12_500_000,
  busiestOrganization: 0.1,
  busiestProvider: 0.5,
  postgresCores: 16,
  workers: 8,
  apis: 4,
};

export const country: Deployment = {
  ...sixteenMachines,
  name: 'a country',
  campaigns: 10_000,
  organizations: 1_000,
  providers: 8,
  lines: 100_000,
  callsPerDay: 50_000_000,
  busiestOrganization: 0.05,
  busiestProvider: 0.3,
  postgresCores: 32,
  workers: 24,
  apis: 12,
  schedulers: 3,
};

/** Each step as built, and with the change that it proposes. */
export const steps: ReadonlyArray<{ deployment: Deployment; change: string }> = [
  { deployment: oneMachine, change: 'as built' },
  { deployment: { ...oneMachine, isCapped: true }, change: 'as built, provider at its cap' },
  { deployment: fourMachines, change: 'as built' },
  { deployment: { ...fourMachines, isCapped: true }, change: 'as built, provider at its cap' },
  {
    deployment: { ...fourMachines, isCapped: true, counters: sharded },
    change: 'at its cap, counted in 16 rows',
  },
  { deployment: sixteenMachines, change: 'as built' },
  { deployment: { ...sixteenMachines, isCapped: true }, change: 'as built, provider at its cap' },
  {
    deployment: { ...sixteenMachines, isCapped: true, counters: sharded },
    change: 'at its cap, counted in 16 rows',
  },
  { deployment: country, change: 'as built' },
  { deployment: { ...country, counters: everywhere }, change: 'were rows without a cap counted in' },
  { deployment: { ...country, isCapped: true }, change: 'as built, provider at its cap' },
  {
    deployment: { ...country, isCapped: true, counters: sharded },
    change: 'at its cap, counted in 16 rows',
  },
  {
    deployment: { ...country, isCapped: true, counters: sharded, ...cells },
    change: 'the same in four cells: a database and a Redis each',
  },
];

/** All lines of a database in one campaign, which has one row and one advance at a time. */
export const oneCampaign: readonly Deployment[] = [10_000, 20_000, 50_000, 100_000].map((lines) => ({
  ...country,
  name: `${lines.toLocaleString('en')} lines`,
  campaigns: 1,
  organizations: 1,
  providers: 1,
  busiestOrganization: 1,
  busiestProvider: 1,
  lines,
  callsPerDay: lines * 500,
}));
