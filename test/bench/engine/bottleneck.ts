import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { cpuSeconds } from './process-cost.ts';
import type { World } from './world.ts';

const everyMs = 100;

/** The load while a program ran. */
export interface Watched {
  seconds: number;
  /** Cores that each kind of process used. */
  cores: Record<string, number>;
  /** The wait events of the workers' connections, as parts of their active time. `running` means no wait. */
  waits: Record<string, number>;
}

/** Measures processes and connections until `work` resolves. */
export async function watch(
  world: World,
  pids: Record<string, readonly number[]>,
  work: Promise<unknown>,
): Promise<Watched> {
  const cpu = () =>
    Object.values(pids).map((some) => some.reduce((total, pid) => total + cpuSeconds(pid), 0));
  const before = cpu();
  const startedMs = performance.now();
  const seen = new Map<string, number>();
  const state = { done: false };
  const finished = work.finally(() => {
    state.done = true;
  });
  while (!state.done) {
    for (const wait of await activeConnections(world)) seen.set(wait, (seen.get(wait) ?? 0) + 1);
    await Promise.race([finished, sleep(everyMs)]);
  }
  await finished;
  const seconds = (performance.now() - startedMs) / 1000;
  const after = cpu();
  const all = [...seen.values()].reduce((total, count) => total + count, 0);
  return {
    seconds,
    cores: Object.fromEntries(
      Object.keys(pids).map((kind, at) => [kind, ((after[at] ?? 0) - (before[at] ?? 0)) / seconds]),
    ),
    waits: Object.fromEntries([...seen].map(([wait, count]) => [wait, count / all])),
  };
}

async function activeConnections(world: World): Promise<string[]> {
  const { rows } = await sql<{ wait: string }>`
    select case when state = 'idle in transaction' then 'the worker, inside a transaction'
      else coalesce(wait_event_type || ':' || wait_event, 'running') end as wait
    from pg_stat_activity
    where datname = current_database() and application_name = 'outdial-worker' and state <> 'idle'`.execute(
    world.db,
  );
  return rows.map((row) => row.wait);
}

/** Names what limits the throughput. */
export function nameBottleneck(
  { cores, waits }: Watched,
  limits: { ofACorePerWorker: number; workers: number },
): string {
  const used = Object.values(cores).reduce((total, share) => total + share, 0);
  const shares = Object.entries(cores)
    .map(([kind, share]) => `${kind} ${share.toFixed(2)}`)
    .join(', ');
  const perWorker = (cores['workers'] ?? 0) / limits.workers;
  if (used >= availableParallelism() * 0.9) return `the machine's cores (${shares})`;
  if (perWorker >= limits.ofACorePerWorker * 0.85) return `the workers' own processor (${shares})`;
  const [wait] = Object.entries(waits).toSorted((one, other) => other[1] - one[1]);
  return `${wait ? `${wait[0]}, ${(wait[1] * 100).toFixed(0)} % of the connections' active time` : 'nothing seen'} (${shares})`;
}
