import type { Constants } from './constants.ts';
import { share } from './cpu-shares.ts';
import { buildInstallation, sharedRows, type Campaign, type Worker } from './installation.ts';
import { createKernel, type Process, type Resource } from './kernel.ts';
import { heldRoundTrips, turnMs, type Deployment } from './model.ts';
import { seeded } from './random.ts';

/** The result of a run: the busiest second of an installation whose campaigns never run out of numbers. */
export interface SimulationResult {
  callsPerSecond: number;
  /** The share of lines that carried a call. */
  linesInUse: number;
  /** From a call's end to the next dial on its line. */
  turnoverMs: { p50: number; p99: number };
  /** The calls that one claim took. */
  callsPerAdvance: number;
  utilisation: Record<string, number>;
  /** The fullest resource. */
  fullest: string;
}

export interface SimulationArgs {
  constants: Constants;
  deployment: Deployment;
  /** The mean time for which a call holds its line, ringing and talking. */
  holdSeconds: number;
  seed: number;
  /** The simulated warm-up, which is discarded, and the simulated time that is measured. */
  warmSeconds: number;
  countSeconds: number;
}

/** Round trips before the shared rows are locked. */
const viewRoundTrips = 4;

/**
 * A run of the engine's own course: a call ends, its line is released under the locks of campaign, organization and provider in a batch
 * with others; an advance of its campaign is asked for once, however many lines are free; it takes the campaign's row, looks, takes the
 * rows of organization and provider, claims, commits; the gate; the dial. Everything else of a call (ringing, answers) is CPU only.
 */
export function simulate(args: SimulationArgs): SimulationResult {
  const { constants, deployment, holdSeconds } = args;
  const random = seeded(args.seed);
  const kernel = createKernel();
  const { campaigns, workers, databases, organizations, providers, redis } = buildInstallation(deployment);
  const totals = { dials: 0, advances: 0, turnover: [] as number[] };
  let countFromMs = Number.POSITIVE_INFINITY;

  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };
  /** Ringing and talking time. Exponential: of the plausible distributions, the worst for batches. */
  const holdMs = () => -Math.log(1 - random()) * holdSeconds * 1_000;

  function* use(resource: Resource, ms: number): Process {
    yield { kind: 'take', of: resource };
    yield { kind: 'delay', ms };
    resource.leave(kernel.now());
  }
  const roundTrip = (): { kind: 'delay'; ms: number } => ({ kind: 'delay', ms: deployment.roundTripMs });

  /** A round trip, which also waits for the worker's one thread. Locks are held meanwhile. */
  function* converse(worker: Worker, roundTrips: number): Process {
    for (let n = 0; n < roundTrips; n++) {
      yield { kind: 'delay', ms: deployment.roundTripMs * Math.min(1, roundTrips - n) };
      yield* use(worker.loop, turnMs(constants));
    }
  }

  function* call(campaign: Campaign, ms: number): Process {
    yield { kind: 'delay', ms };
    const worker = pick(workers);
    worker.ended.push(campaign);
    if (worker.laneWaits) return;
    worker.laneWaits = true;
    yield { kind: 'take', of: worker.lanes };
    worker.laneWaits = false;
    yield* end(worker);
    worker.lanes.leave(kernel.now());
  }

  /** One transaction for all calls that have ended by now. */
  function* end(worker: Worker): Process {
    const batch = worker.ended.splice(0, 200);
    if (batch.length === 0) return;
    const count = batch.length;
    yield* use(worker.loop, share(constants.workerPerBatchMs, constants.workerPerCallMs, 'end', count));
    const cpuMs = share(constants.postgresPerBatchMs, constants.postgresPerCallMs, 'end', count);
    const byDatabase = Map.groupBy(batch, (campaign) => campaign.database);
    for (const [database, ended] of byDatabase) {
      yield roundTrip();
      yield* use(database.cpu, (cpuMs * 0.75 * ended.length) / count);
      yield roundTrip();
      // Locks are taken in the engine's order; otherwise two batches could deadlock.
      const rows = [...new Set(ended)].toSorted((a, b) => a.n - b.n).map((campaign) => campaign.row);
      for (const row of rows) yield { kind: 'take', of: row };
      const shared = sharedRows(ended, pick);
      for (const row of shared) yield { kind: 'take', of: row };
      yield* use(database.cpu, (cpuMs * 0.25 * ended.length) / count);
      yield* converse(worker, heldRoundTrips('end', deployment));
      yield { kind: 'flush', of: database.journal };
      const now = kernel.now();
      for (const row of [...shared, ...rows]) row.leave(now);
      for (const campaign of ended) {
        campaign.free.push({ sinceMs: now });
        ask(campaign);
        // A campaign whose turn it is not queries too.
        if (deployment.isCapped) ask(pick(campaigns));
      }
    }
  }

  function ask(campaign: Campaign): void {
    if (campaign.isWaiting) return;
    campaign.isWaiting = true;
    if (!campaign.isRunning) kernel.start(advance(campaign));
  }

  function* advance(campaign: Campaign): Process {
    campaign.isRunning = true;
    yield* use(pick(redis), constants.redisPerBatchMs);
    const worker = pick(workers);
    yield { kind: 'take', of: worker.advances };
    campaign.isWaiting = false;
    yield* use(worker.loop, share(constants.workerPerBatchMs, 0, 'advance', 0) / 2);
    const { database } = campaign;
    const cpuMs = share(constants.postgresPerBatchMs, 0, 'advance', 0);
    yield roundTrip();
    yield { kind: 'take', of: campaign.row };
    yield* converse(worker, viewRoundTrips - 1);
    yield* use(database.cpu, cpuMs / 2);
    const shared = sharedRows([campaign], pick);
    const held = heldRoundTrips('advance', deployment);
    for (const row of shared) yield { kind: 'take', of: row };
    const taken = campaign.free.splice(0, 500);
    yield* use(database.cpu, cpuMs / 2 + share(0, constants.postgresPerCallMs, 'advance', taken.length));
    yield* converse(worker, held);
    yield { kind: 'flush', of: database.journal };
    for (const row of [...shared, campaign.row]) row.leave(kernel.now());
    worker.advances.leave(kernel.now());
    if (taken.length > 0) {
      totals.advances += 1;
      kernel.start(gate(campaign, taken));
    }
    campaign.isRunning = false;
    if (campaign.isWaiting) kernel.start(advance(campaign));
  }

  function* gate(campaign: Campaign, lines: Array<{ sinceMs: number }>): Process {
    const count = lines.length;
    yield* use(pick(redis), constants.redisPerCallMs * count);
    const worker = pick(workers);
    yield* use(worker.loop, share(constants.workerPerBatchMs, constants.workerPerCallMs, 'gate', count));
    yield roundTrip();
    yield* use(
      campaign.database.cpu,
      share(constants.postgresPerBatchMs, constants.postgresPerCallMs, 'gate', count),
    );
    yield { kind: 'flush', of: campaign.database.journal };
    const now = kernel.now();
    for (const { sinceMs } of lines) {
      if (now >= countFromMs) {
        totals.dials += 1;
        totals.turnover.push(now - sinceMs);
      }
      kernel.start(call(campaign, holdMs()));
    }
  }

  for (const campaign of campaigns) {
    for (let line = 0; line < campaign.lines; line++) kernel.start(call(campaign, holdMs()));
  }
  const all = [...databases.map((one) => one.cpu), ...organizations.flat(), ...providers.flat(), ...redis];
  const rows = campaigns.map((campaign) => campaign.row);
  const loops = workers.map((worker) => worker.loop);
  const warmMs = args.warmSeconds * 1_000;
  kernel.run(warmMs);
  countFromMs = warmMs;
  totals.advances = 0;
  for (const resource of [...all, ...rows, ...loops]) resource.reset(warmMs);
  const countMs = args.countSeconds * 1_000;
  kernel.run(warmMs + countMs);
  const utilisation = {
    'Postgres CPU': most(databases.map((one) => one.cpu)),
    'row of a provider': most(providers.flat()),
    'row of an organization': most(organizations.flat()),
    'row of a campaign': most(rows),
    'worker loop': most(loops),
    Redis: most(redis),
  };
  const sorted = totals.turnover.toSorted((a, b) => a - b);
  return {
    callsPerSecond: totals.dials / args.countSeconds,
    // Little's law: calls begun per second, times the mean seconds of a call.
    linesInUse: Math.min(1, (totals.dials * holdSeconds) / (deployment.lines * args.countSeconds)),
    turnoverMs: { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) },
    callsPerAdvance: totals.dials / Math.max(1, totals.advances),
    utilisation,
    fullest: fullestOf(utilisation),
  };

  function most(resources: readonly Resource[]): number {
    return Math.max(0, ...resources.map((resource) => resource.utilisation(kernel.now())));
  }
}

/** The cause of a backlog. Rows are locked in this order, so a row stays locked while a later one is awaited: the last full one is the cause. */
function fullestOf(utilisation: Record<string, number>): string {
  const full = ['row of a campaign', 'row of an organization', 'row of a provider'].filter(
    (row) => (utilisation[row] ?? 0) > 0.9,
  );
  const [most] = Object.entries(utilisation).toSorted((a, b) => b[1] - a[1]);
  return full.at(-1) ?? most?.[0] ?? '';
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
