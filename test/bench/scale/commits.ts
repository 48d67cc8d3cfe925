import pg from 'pg';
import type { ScaleBed } from './bed.ts';
import { postgresCpuMs } from './meters.ts';

/** How fast this machine's Postgres commits, in wall time. Depends on the disk, the load and the loopback interface. */
export interface CommitRates {
  roundTripMs: number;
  commitMs: number;
  /** A commit without a flush. The difference is the cost of the disk. */
  unflushedCommitMs: number;
  /** Transactions per second of 16 clients: each on a different row, and all on the same row. */
  ownRowPerSecond: number;
  sameRowPerSecond: number;
  cpuMsPerTransaction: number;
}

const clients = 16;
const seconds = 4;

export async function measureCommits(bed: ScaleBed): Promise<CommitRates> {
  const world = await bed.world(1);
  const pool = Array.from({ length: clients }, () => new pg.Client(world.databaseUrl));
  try {
    await Promise.all(pool.map((client) => client.connect()));
    const [first] = pool;
    if (!first) throw new Error('no client');
    await first.query(
      'create table counters (id int primary key, count int not null default 0) with (fillfactor = 50)',
    );
    await first.query(`insert into counters select n from generate_series(0, ${clients - 1}) n`);
    const step = async (client: pg.Client, row: number) => {
      await client.query('begin');
      await client.query('update counters set count = count + 1 where id = $1', [row]);
      await client.query('commit');
    };
    const roundTripMs = await medianMs(() => first.query('select 1'));
    const commitMs = (await medianMs(() => step(first, 0))) - 2 * roundTripMs;
    await first.query('set synchronous_commit = off');
    const unflushedCommitMs = (await medianMs(() => step(first, 0))) - 2 * roundTripMs;
    await first.query('set synchronous_commit = on');
    const cpuBefore = postgresCpuMs(bed.postgresPid);
    const own = await perSecond(pool, (client, index) => step(client, index));
    const cpuMsPerTransaction = (postgresCpuMs(bed.postgresPid) - cpuBefore) / (own * seconds);
    const same = await perSecond(pool, (client) => step(client, 0));
    return {
      roundTripMs,
      commitMs,
      unflushedCommitMs,
      ownRowPerSecond: own,
      sameRowPerSecond: same,
      cpuMsPerTransaction,
    };
  } finally {
    await Promise.all(pool.map((client) => client.end()));
    await world.close();
  }
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < 400; n++) {
    const startedMs = performance.now();
    await work();
    took.push(performance.now() - startedMs);
  }
  return took.toSorted((a, b) => a - b)[200] ?? Number.NaN;
}

async function perSecond(
  pool: readonly pg.Client[],
  work: (client: pg.Client, index: number) => Promise<void>,
): Promise<number> {
  let done = 0;
  const endMs = performance.now() + seconds * 1000;
  await Promise.all(
    pool.map(async (client, index) => {
      while (performance.now() < endMs) {
        await work(client, index);
        done += 1;
      }
    }),
  );
  return done / seconds;
}
