import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBed } from '../bench/engine/bed.ts';
import type { World } from '../bench/engine/world.ts';

const settlesMs = 30_000;
const measuredMs = 60_000;

/** Transactions of the whole server, and wake-ups of the processes with their children and threads: load of the machine changes neither. */
async function work(world: World, pids: readonly number[]) {
  const { rows } = await sql<{ transactions: number; connections: number }>`
    select (select sum(xact_commit + xact_rollback)::int from pg_stat_database) as transactions,
      (select count(*)::int from pg_stat_activity where application_name = 'outdial-scheduler') as connections`.execute(
    world.db,
  );
  const { transactions = 0, connections = 0 } = rows[0] ?? {};
  return { transactions, connections, wakeUps: pids.reduce((sum, pid) => sum + wakeUpsOf(pid), 0) };
}

/** How often threads gave up the processor by themselves, which they do once for each timer or message. */
function wakeUpsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  const own = threads.map((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
    return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
  });
  return [...own, ...children.map(wakeUpsOf)].reduce((sum, one) => sum + one, 0);
}

test.runIf(process.platform === 'linux')(
  'a service that has nothing to do asks for little, and keeps its connections',
  async () => {
    const bed = await openBed({ durability: 'none' });
    const world = await bed.world('postgres');
    try {
      const programs = ['scheduler/src/main.ts', 'worker/src/main.ts', 'api/src/main.ts'];
      const pids = await Promise.all(programs.map(async (one) => (await world.startReady(one)).pid));
      await sleep(settlesMs);
      const beganAt = performance.now();
      const before = await work(world, pids);
      await sleep(measuredMs);
      const after = await work(world, pids);
      // A busy machine sleeps for longer.
      const seconds = (performance.now() - beganAt) / 1_000;
      const perSecond = (what: 'transactions' | 'wakeUps') => (after[what] - before[what]) / seconds;
      // With a query of each sweep, 35, and 440 with timers of ten and twenty milliseconds.
      expect(perSecond('transactions')).toBeLessThan(22);
      expect(perSecond('wakeUps')).toBeLessThan(150);
      expect(after.connections).toBeLessThanOrEqual(before.connections);
    } finally {
      await world.close();
      await bed.close();
    }
  },
);
