import type { Constants } from './constants.ts';

/** A hypothetical installation: its load and its resources. */
export interface Deployment {
  name: string;
  campaigns: number;
  organizations: number;
  providers: number;
  lines: number;
  callsPerDay: number;
  /** The hours of a day in which calls are allowed, and the ratio of the busiest second to their mean. */
  openHours: number;
  peakFactor: number;
  transcriptChars: number;
  /** The share of calls that are answered, and so have a transcript. */
  answerRate: number;
  /** Events that providers post for a call. */
  eventsPerCall: number;
  /** The share of all calls that belong to the busiest organization and to the busiest provider. */
  busiestOrganization: number;
  busiestProvider: number;
  /** The databases among which the organizations are divided, and the cores of each. */
  databases: number;
  postgresCores: number;
  workers: number;
  apis: number;
  schedulers: number;
  /** Redis masters among which the queue of calls is divided. As built, a queue is on one master. */
  redisNodes: number;
  roundTripMs: number;
  commitMs: number;
  /** Campaigns want more lines than their provider has, and compete for them. */
  isCapped: boolean;
  /** How lines are counted. */
  counters: Counters;
}

/**
 * `where_capped`: as built. Every advance and every end of a call locks the rows of the organization and provider that have a cap, and no others.
 * `everywhere`: rows without a cap are counted and locked too. `sharded`: the cap is divided over a number of rows, of which a transaction locks one.
 */
export type Counters =
  | { kind: 'where_capped' }
  | { kind: 'everywhere' }
  | { kind: 'sharded'; shards: number };

/** The number of rows in which the lines of an organization or a provider are counted. 0 if they are not counted. */
export function counterRows({ counters, isCapped }: Pick<Deployment, 'counters' | 'isCapped'>): number {
  switch (counters.kind) {
    case 'where_capped':
      return isCapped ? 1 : 0;
    case 'everywhere':
      return 1;
    case 'sharded':
      return counters.shards;
  }
}

export interface ResourceLoad {
  resource: string;
  /** The load at the peak as a share of the capacity; 1 is saturated. */
  utilisation: number;
  /** The rate at which the resource is saturated. */
  callsPerSecondAtMost: number;
}

/**
 * Round trips while the provider's row is locked. An advance: claim, due zones, plan, commit. An end of a call: the rest of its statement, and its
 * commit. Under a cap, both also query whose turn is next and who else waits.
 */
export function heldRoundTrips(kind: 'advance' | 'end', deployment: Pick<Deployment, 'isCapped'>): number {
  return (kind === 'advance' ? 4 : 1.5) + (deployment.isCapped ? 2 : 0);
}

/** Under a cap, the campaign of the ended call also looks for a line, and finds that another campaign is next. */
export function advancesPerCall(deployment: Pick<Deployment, 'isCapped'>): number {
  return deployment.isCapped ? 2 : 1;
}

/** The part of Postgres's CPU time for a batch that is spent while the row is locked. */
const heldShare = { advance: 0.25, end: 0.05 };
/** Calls whose ends one transaction records at a low rate. At a high rate there are more. */
const endsTogether = 4;

export function peakCallsPerSecond(
  deployment: Pick<Deployment, 'callsPerDay' | 'openHours' | 'peakFactor'>,
): number {
  return (deployment.callsPerDay / (deployment.openHours * 3_600)) * deployment.peakFactor;
}

/** The worker's CPU time between an answer and its next statement, divided over the dozen statements of a batch. */
export function turnMs(constants: Pick<Constants, 'workerPerBatchMs'>): number {
  return constants.workerPerBatchMs / 12;
}

/** Milliseconds for which one transaction locks a row that others want: network, disk and CPU. */
export function holdMs(constants: Constants, deployment: Deployment, kind: 'advance' | 'end'): number {
  const computesMs = heldShare[kind] * constants.postgresPerBatchMs;
  const turns = heldRoundTrips(kind, deployment);
  return turns * (deployment.roundTripMs + turnMs(constants)) + deployment.commitMs + computesMs;
}

/**
 * The utilization of each resource at the peak, the fullest first. Uses means only; waiting is left to the simulation. A batch is one call, the most
 * expensive case, because the lines of many campaigns end one at a time.
 */
export function loadsOf(constants: Constants, deployment: Deployment): ResourceLoad[] {
  const rows = counterRows(deployment);
  const calls = peakCallsPerSecond(deployment);
  const advances = advancesPerCall(deployment);
  // Half the cost of an event is writing its content, which the measured calls already include.
  const postgresMs =
    constants.postgresPerCallMs +
    constants.postgresPerBatchMs * advances ** 0.5 +
    deployment.eventsPerCall * constants.postgresPerEventMs * 0.5;
  const rowMs =
    rows === 0
      ? 0
      : advances * holdMs(constants, deployment, 'advance') +
        holdMs(constants, deployment, 'end') / endsTogether;
  const shards = Math.max(1, rows);
  const workerMs = constants.workerPerCallMs + constants.workerPerBatchMs;
  const redisMs = constants.redisPerCallMs + constants.redisPerBatchMs;
  // Milliseconds of a resource that are used in a second, and that it has.
  const asked: Array<[resource: string, ms: number, places: number]> = [
    ['Postgres CPU', calls * postgresMs, deployment.databases * deployment.postgresCores],
    ['row of a provider', (calls / deployment.databases) * deployment.busiestProvider * rowMs, shards],
    ['row of an organization', calls * deployment.busiestOrganization * rowMs, shards],
    ['worker CPU', calls * workerMs, deployment.workers],
    ['api CPU', calls * deployment.eventsPerCall * constants.apiPerEventMs, deployment.apis],
    ['Redis CPU', calls * redisMs, deployment.redisNodes],
  ];
  return asked
    .map(([resource, ms, places]) => {
      const utilisation = ms / (places * 1_000);
      return { resource, utilisation, callsPerSecondAtMost: calls / utilisation };
    })
    .toSorted((a, b) => b.utilisation - a.utilisation);
}

export interface Volume {
  walMegabytesPerSecond: number;
  callGigabytesPerDay: number;
  /** The mean number of seconds for which a call holds its line, if every line is in use at the peak. */
  secondsALine: number;
  connections: number;
}

/** Volumes: bytes written, bytes kept, and connections. */
export function volumeOf(constants: Constants, deployment: Deployment): Volume {
  const calls = peakCallsPerSecond(deployment);
  const without = constants.tableBytesPerCall(0);
  const transcript =
    deployment.answerRate * (constants.tableBytesPerCall(deployment.transcriptChars) - without);
  return {
    walMegabytesPerSecond:
      (calls * (constants.walBytesPerCall + constants.walBytesPerBatch + transcript)) /
      deployment.databases /
      1e6,
    callGigabytesPerDay:
      (deployment.callsPerDay * (constants.indexBytesPerCall + without + transcript)) / 1e9,
    secondsALine: deployment.lines / calls,
    connections: deployment.workers * 20 + deployment.apis * 10 + deployment.schedulers * 8,
  };
}
