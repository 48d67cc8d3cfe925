import { setTimeout as sleep } from 'node:timers/promises';
import { createCampaign, setCampaignConfig, setCampaignStatus } from '@outdial/engine';
import { sql } from 'kysely';
import { quiet, type ScaleBed, type ScaleWorld } from './bed.ts';
import { partitionTables, type PartitionArgs } from './partition-tables.ts';
import { openMeters, type Reading, type StatementUse } from './meters.ts';

/** The shape of the load: one large campaign, or many small ones as in an installation of many tenants. */
export interface Workload {
  name: string;
  organizations: number;
  campaigns: number;
  linesEach: number;
  callsEach: number;
  ringMs: number;
  talkMs: number;
  workers: number;
  /** A cap on the provider's lines, for which the campaigns compete. */
  providerMaxLines?: number;
  /** Runs on partitioned tables: the days ahead, and the parts of each day by tenant. */
  partitions?: Omit<PartitionArgs, 'now'>;
}

/** The resources that one call used. CPU time excludes waits, so a busy machine changes it little. */
export interface CallUse {
  calls: number;
  seconds: number;
  callsPerSecond: number;
  postgresCpuMs: number;
  /** The part of it spent on planning. */
  postgresPlanMs: number;
  workerCpuMs: number;
  schedulerCpuMs: number;
  redisCpuMs: number;
  walBytes: number;
  walSyncs: number;
  commits: number;
  /** Round trips to Postgres: statements, and the begin and commit of each transaction. */
  roundTrips: number;
  redisCommands: number;
  /** The mean number of calls in one statement of each kind. */
  batches: Record<string, number>;
  hotUpdates: Record<string, number>;
  connections: Record<string, number>;
  statements: StatementUse[];
}

export async function measureWorkload(bed: ScaleBed, load: Workload): Promise<CallUse> {
  const world = await bed.world(load.organizations);
  try {
    if (load.providerMaxLines !== undefined) {
      await sql`update providers set max_lines = ${load.providerMaxLines}`.execute(world.db);
    }
    if (load.partitions !== undefined) {
      await partitionTables(world.db, { now: new Date(), ...load.partitions });
    }
    const campaigns = await makeCampaigns(world, load);
    const env = { SIMULATOR_RING_MS: String(load.ringMs), SIMULATOR_TALK_MS: String(load.talkMs) };
    const processes: Record<string, number> = {};
    processes['scheduler'] = world.start('scheduler/src/main.ts', env).pid ?? 0;
    for (let n = 0; n < load.workers; n++) {
      processes[`worker${n}`] =
        world.start('worker/src/main.ts', { WORKER_CONCURRENCY: '200', ...env }).pid ?? 0;
    }
    const meters = await openMeters({
      databaseUrl: world.databaseUrl,
      redisUrl: world.redisUrl,
      postgresPid: bed.postgresPid,
      processes,
    });
    try {
      await sleep(3_000);
      await sql`checkpoint`.execute(world.db);
      await meters.reset();
      const before = await meters.read();
      for (const { organizationId, userId, campaignId } of campaigns) {
        const deps = {
          db: world.db,
          publisher: world.publisher,
          log: quiet,
          installationProvider: 'simulator',
        };
        await setCampaignStatus(deps, { organizationId, campaignId, status: 'running', userId });
      }
      await finished(world, campaigns.length);
      const after = await meters.read();
      const calls = load.campaigns * load.callsEach;
      return {
        ...perCall(before, after, calls),
        batches: await meters.batches(),
        hotUpdates: await meters.hotUpdates(),
        connections: await meters.connections(),
        statements: (await meters.statements()).slice(0, 15),
      };
    } finally {
      await meters.close();
    }
  } finally {
    await world.close();
  }
}

async function makeCampaigns(world: ScaleWorld, load: Workload) {
  const made = [];
  for (let n = 0; n < load.campaigns; n++) {
    const tenant = world.tenants[n % world.tenants.length];
    if (!tenant) throw new Error('a workload needs an organization');
    const { organizationId, userId, agentId } = tenant;
    const deps = { db: world.db, publisher: world.publisher, log: quiet, installationProvider: 'simulator' };
    const { campaignId } = await createCampaign(deps, {
      organizationId,
      userId,
      fields: {
        name: `Scale ${n}`,
        agent_id: agentId,
        // Ends in 00: the simulated carrier answers. No number is in two campaigns.
        phone_numbers: Array.from(
          { length: load.callsEach },
          (_, k) => `+1${5_550_000_000 + (n * load.callsEach + k) * 100}`,
        ),
        status: 'paused',
        additional_params: { prompt_params: { name: 'Ada' } },
      },
    });
    const body = { call_on_weekend: true, max_concurrent_calls: load.linesEach };
    await setCampaignConfig(deps, { organizationId, campaignId, body });
    made.push({ organizationId, userId, campaignId });
  }
  return made;
}

async function finished(world: ScaleWorld, campaigns: number): Promise<void> {
  const giveUpAt = performance.now() + 300_000;
  for (;;) {
    const { rows } = await sql<{ count: number }>`/* meter */
      select count(*)::int as count from campaigns where status = 'finished'`.execute(world.db);
    if (rows[0]?.count === campaigns) return;
    if (performance.now() > giveUpAt) throw new Error('the campaigns did not finish in five minutes');
    await sleep(250);
  }
}

function perCall(
  before: Reading,
  after: Reading,
  calls: number,
): Omit<CallUse, 'batches' | 'hotUpdates' | 'connections' | 'statements'> {
  const each = (a: number, b: number) => (b - a) / calls;
  const cpuOf = (reading: Reading, name: string) =>
    Object.entries(reading.processCpuMs)
      .filter(([process]) => process.startsWith(name))
      .reduce((sum, [, ms]) => sum + ms, 0);
  const commandsOf = (reading: Reading) =>
    Object.values(reading.redisCommands).reduce((sum, count) => sum + count, 0);
  const seconds = (after.atMs - before.atMs) / 1000;
  return {
    calls,
    seconds,
    callsPerSecond: calls / seconds,
    postgresCpuMs: each(before.postgresCpuMs, after.postgresCpuMs),
    postgresPlanMs: each(before.planMs, after.planMs),
    workerCpuMs: each(cpuOf(before, 'worker'), cpuOf(after, 'worker')),
    schedulerCpuMs: each(cpuOf(before, 'scheduler'), cpuOf(after, 'scheduler')),
    redisCpuMs: each(before.redisCpuMs, after.redisCpuMs),
    walBytes: each(before.walBytes, after.walBytes),
    walSyncs: each(before.walSyncs, after.walSyncs),
    commits: each(before.commits, after.commits),
    roundTrips: each(
      before.statements + before.transactionControls,
      after.statements + after.transactionControls,
    ),
    redisCommands: each(commandsOf(before), commandsOf(after)),
  };
}
