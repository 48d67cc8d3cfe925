import type { Constants } from './constants.ts';

/** An installation: what is asked of it, and what it runs on. */
export interface Deployment {
  name: string;
  campaigns: number;
  organizations: number;
  providers: number;
  lines: number;
  callsPerDay: number;
  /** The hours in which calls may be made, and how far the busiest second lies above their mean. */
  openHours: number;
  peakFactor: number;
  transcriptChars: number;
  /** Of all calls: who answers, and so leaves a transcript. */
  answerRate: number;
  /** Events that providers post for a call. */
  eventsPerCall: number;
  /** The share of all calls that the busiest organization and the busiest provider have. */
  busiestOrganization: number;
  busiestProvider: number;
  /** Databases that share the organizations between them, and cores of each. */
  databases: number;
  postgresCores: number;
  workers: number;
  apis: number;
  schedulers: number;
  /** Masters among which the queue of calls is spread. As it is built, one queue is on one of them. */
  redisNodes: number;
  roundTripMs: number;
  commitMs: number;
  /** Campaigns want more lines than their provider has, and compete for them. */
  isCapped: boolean;
  /** How a line is counted. */
  counters: Counters;
}

/**
 * `where_capped`: as it is built. Every advance and every end holds the rows of the organization and the provider that have a cap, and
 * no others. `everywhere`: a row without a cap is counted in as well. `sharded`: the cap is split over so many rows, of which a
 * transaction holds one.
 */
export type Counters =
  | { kind: 'where_capped' }
  | { kind: 'everywhere' }
  | { kind: 'sharded'; shards: number };

/** Rows over which the lines of an organization or a provider are counted; none if they are not. */
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
  /** What is asked at the peak, of what it can give; 1 is saturated. */
  utilisation: number;
  /** Calls per second at which it would be full. */
  callsPerSecondAtMost: number;
}

/**
 * Round trips with the row of the provider in hand. An advance: claim, due zones, plan, commit. An end: the rest of its statement, and its
 * commit. Under a cap both also ask who is next and who else waits.
 */
export function heldRoundTrips(kind: 'advance' | 'end', deployment: Pick<Deployment, 'isCapped'>): number {
  return (kind === 'advance' ? 4 : 1.5) + (deployment.isCapped ? 2 : 0);
}

/** Under a cap the campaign of the call that ended looks as well, and finds that it is another's turn. */
export function advancesPerCall(deployment: Pick<Deployment, 'isCapped'>): number {
  return deployment.isCapped ? 2 : 1;
}

/** What Postgres computes with the row in hand, as a share of what it does for a batch. */
const heldShare = { advance: 0.25, end: 0.05 };
/** Calls whose end one transaction writes, at a low rate; at a high one they are more. */
const endsTogether = 4;

export function peakCallsPerSecond(
  deployment: Pick<Deployment, 'callsPerDay' | 'openHours' | 'peakFactor'>,
): number {
  return (deployment.callsPerDay / (deployment.openHours * 3_600)) * deployment.peakFactor;
}

/** What a worker computes between one answer and its next statement: a dozen of them are in a batch. */
export function turnMs(constants: Pick<Constants, 'workerPerBatchMs'>): number {
  return constants.workerPerBatchMs / 12;
}

/** Milliseconds for which one transaction holds a row that others want: for the network, the disk, and itself. */
export function holdMs(constants: Constants, deployment: Deployment, kind: 'advance' | 'end'): number {
  const computesMs = heldShare[kind] * constants.postgresPerBatchMs;
  const turns = heldRoundTrips(kind, deployment);
  return turns * (deployment.roundTripMs + turnMs(constants)) + deployment.commitMs + computesMs;
}

/**
 * How much of each resource the peak takes, the fullest first. On paper: means only, no waiting; the simulation adds that.
 * The lines of many campaigns end one at a time, so a batch is one call: the dearest case.
 */
export function loadsOf(constants: Constants, deployment: Deployment): ResourceLoad[] {
  const rows = counterRows(deployment);
  const calls = peakCallsPerSecond(deployment);
  const advances = advancesPerCall(deployment);
  // Half of an event is its own; the other half, writing what it says, is in the calls that were measured.
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
  // Milliseconds asked of a resource in a second, and how many it has.
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
  /** Seconds for which a call holds its line, on average, where every line is in use at the peak. */
  secondsALine: number;
  connections: number;
}

/** What is written, kept and connected. */
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
