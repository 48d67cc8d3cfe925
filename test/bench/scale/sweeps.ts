import { createPostgresFileStore, inTransaction, lockCapacities } from '@outdial/db';
import { sweeps } from '@outdial/scheduler/sweeps';
import { sql } from 'kysely';
import { quiet, type ScaleBed, type ScaleWorld } from './bed.ts';
import { cpuMsOf, postgresCpuMs } from './meters.ts';
import { populate, type Population } from './populate.ts';

export interface SweepUse {
  campaigns: number;
  endedCampaigns: number;
  liveCalls: number;
  /** CPU time of Postgres for one round of each sweep, in ms. */
  postgresCpuMs: Record<string, number>;
}

/** The sweeps of the dialing engine. The cost of the others does not grow with campaigns or calls. */
const measured = [
  'wake-due-campaigns',
  'check-due-calls',
  'retry-queued-calls',
  'wake-stranded-campaigns',
  'reconcile-line-counters',
];

/** The sweeps of a scheduler, each with how often it runs. */
export const sweepEverySeconds: Record<string, number> = Object.fromEntries(
  sweeps.filter(({ name }) => measured.includes(name)).map(({ name, everyMs }) => [name, everyMs / 1_000]),
);

/** Many rounds, because the resolution of CPU time is a hundredth of a second. */
const rounds = 40;

/** Measures the cost of a round of each sweep at a given size of the database, while nothing is due. */
export async function measureSweeps(bed: ScaleBed, size: Omit<Population, 'provider'>): Promise<SweepUse> {
  const world = await bed.world(100);
  try {
    await populate(world.db, { ...size, provider: 'simulator' });
    const files = createPostgresFileStore(world.db);
    const metrics = { callEnded: () => undefined };
    const deps = { db: world.db, publisher: world.publisher, log: quiet, files, metrics };
    const used: Record<string, number> = {};
    for (const sweep of sweeps) {
      if (measured.includes(sweep.name)) used[sweep.name] = await cpuPerRound(bed, () => sweep.run(deps));
    }
    const { campaigns, endedCampaigns, liveCalls } = size;
    return { campaigns, endedCampaigns, liveCalls, postgresCpuMs: used };
  } finally {
    await world.close();
  }
}

async function cpuPerRound(bed: ScaleBed, run: () => Promise<unknown>): Promise<number> {
  await run();
  const before = postgresCpuMs(bed.postgresPid);
  for (let round = 0; round < rounds; round++) await run();
  return (postgresCpuMs(bed.postgresPid) - before) / rounds;
}

/** Measures the cost of requesting a line of a capped provider, by the number of campaigns that wait for one: every advance counts each of them. */
export async function measureRivals(
  bed: ScaleBed,
  counts: readonly number[],
): Promise<Array<{ rivals: number; postgresCpuMs: number }>> {
  const world = await bed.world(100);
  try {
    await populate(world.db, {
      campaigns: Math.max(...counts),
      endedCampaigns: 0,
      liveCalls: 0,
      provider: 'simulator',
    });
    await sql`update providers set max_lines = 1`.execute(world.db);
    const measured = [];
    for (const rivals of counts) {
      await sql`update campaign_runtime set waiting_for = null`.execute(world.db);
      await sql`update campaign_runtime set waiting_for = 'provider_line' where campaign_id in (
        select campaign_id from campaign_runtime order by campaign_id limit ${rivals})`.execute(world.db);
      await sql`vacuum analyze campaign_runtime`.execute(world.db);
      measured.push({ rivals, postgresCpuMs: await cpuPerRound(bed, () => askForLines(world)) });
    }
    return measured;
  } finally {
    await world.close();
  }
}

async function askForLines(world: ScaleWorld): Promise<void> {
  const { rows } = await sql<{ id: string; organization_id: string }>`
    select id, organization_id from campaigns limit 1`.execute(world.db);
  const [row] = rows;
  if (!row) throw new Error('the population has no campaign');
  const args = {
    organizationId: row.organization_id,
    provider: 'simulator',
    campaigns: [{ id: row.id, priority: 0 }],
  };
  await inTransaction(world.db, (tx) => lockCapacities(tx, args));
}

/** CPU time of a scheduler, and of Postgres for it, while many campaigns wait for their windows, in percent of one core. */
export async function measureIdle(
  bed: ScaleBed,
  size: Omit<Population, 'provider'>,
): Promise<{ campaigns: number; schedulerPercent: number; postgresPercent: number }> {
  const world = await bed.world(100);
  try {
    await populate(world.db, { ...size, provider: 'simulator' });
    const scheduler = world.start('scheduler/src/main.ts');
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const seconds = 20;
    const before = [cpuMsOf(scheduler.pid ?? 0), postgresCpuMs(bed.postgresPid)] as const;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const after = [cpuMsOf(scheduler.pid ?? 0), postgresCpuMs(bed.postgresPid)] as const;
    return {
      campaigns: size.campaigns,
      schedulerPercent: (after[0] - before[0]) / seconds / 10,
      postgresPercent: (after[1] - before[1]) / seconds / 10,
    };
  } finally {
    await world.close();
  }
}
