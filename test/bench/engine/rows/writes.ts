import { sql } from 'kysely';
import type { Bed } from '../bed.ts';
import { callsEnded, makeCampaign, runCampaign, secondsToFinish } from '../campaign.ts';
import { type Finding, findingOf, metIf, type Program } from '../program.ts';
import { median } from '../statistics.ts';
import type { World } from '../world.ts';

const lines = 200;
const kilobyte = 1_000;

/** What is written for a call. It depends on the machine's load only in how many calls share a transaction. */
interface Writes {
  walBytes: number;
  updates: number;
  /** The share of updates of live calls in place (HOT): https://www.postgresql.org/docs/current/storage-hot.html */
  inPlace: number;
}

/** Measures what a call writes to Postgres: bytes of its log, and updates of `calls`. */
export const writes: Program = {
  name: 'writes',
  title: 'What a call writes',
  async run(bed, { quick, rounds }) {
    const calls = quick ? 2_000 : 10_000;
    const short: Writes[] = [];
    const long: Writes[] = [];
    for (let round = 0; round < rounds; round++) {
      short.push(await measure(bed, calls, {}));
      long.push(
        await measure(bed, quick ? 1_000 : 4_000, { SIMULATOR_RING_MS: '300', SIMULATOR_TALK_MS: '700' }),
      );
    }
    return {
      findings: [
        ...findings('without duration', short, { walKb: 6.5 }),
        ...findings('with ring and talk', long, { walKb: 8 }),
      ],
      plots: [],
      notes: [
        `A campaign with ${lines} lines on Redis, one worker. The log is read after a first campaign has touched the pages, which Postgres writes whole ` +
          'once after a checkpoint. Autovacuum is off.',
      ],
    };
  },
};

function findings(of: string, runs: readonly Writes[], goal: { walKb: number }): Finding[] {
  const wal = runs.map(({ walBytes }) => walBytes / kilobyte);
  const updates = runs.map((run) => run.updates);
  const inPlace = runs.map((run) => run.inPlace);
  const verdict = metIf(median(wal) <= goal.walKb);
  const told = { digits: 2, verdict: 'told' } as const;
  return [
    findingOf(`kB of WAL, calls ${of}`, wal, { digits: 2, goal: `at most ${goal.walKb}`, verdict }),
    findingOf(`updates of the row of a call, calls ${of}`, updates, { ...told, goal: '–' }),
    findingOf(`share of these in place, calls ${of}`, inPlace, { ...told, goal: 'all but the end' }),
  ];
}

async function measure(bed: Bed, calls: number, env: Record<string, string>): Promise<Writes> {
  const world = await bed.world('redis');
  try {
    const first = await makeCampaign(world, { recipients: 500, lines });
    const measured = await makeCampaign(world, { recipients: calls, lines, firstNumber: 500 });
    // Once it cleans a table, it writes more than the calls do.
    await sql`alter system set autovacuum = off`.execute(world.db);
    await sql`select pg_reload_conf()`.execute(world.db);
    await sql`checkpoint`.execute(world.db);
    await dial(world, first, env);
    const before = await counters(world);
    await dial(world, measured, env);
    const after = await counters(world);
    const updates = after.updates - before.updates;
    return {
      walBytes: (after.walBytes - before.walBytes) / calls,
      updates: updates / calls,
      inPlace: (after.inPlace - before.inPlace) / updates,
    };
  } finally {
    await sql`alter system reset autovacuum`.execute(world.db);
    await sql`select pg_reload_conf()`.execute(world.db);
    await world.close();
  }
}

/** With processes of its own, since sessions report all of their counts to Postgres only when they end. */
async function dial(world: World, campaignId: string, env: Record<string, string>): Promise<void> {
  const { scheduler, worker } = await world.startEngine({ ...env, WORKER_CONCURRENCY: String(lines) });
  await runCampaign(world, campaignId);
  await secondsToFinish(world, campaignId, 300);
  await callsEnded(world);
  await worker.stop();
  await scheduler.stop();
}

async function counters({ db }: World): Promise<{ walBytes: number; updates: number; inPlace: number }> {
  const { rows } = await sql<{ walBytes: number; updates: number; inPlace: number }>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "walBytes", n_tup_upd::int as updates, n_tup_hot_upd::int as "inPlace"
    from pg_stat_user_tables where relname = 'calls'`.execute(db);
  if (rows[0] === undefined) throw new Error('Postgres keeps no statistics of calls');
  return rows[0];
}
