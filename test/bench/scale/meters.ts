import { readdirSync, readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import pg from 'pg';

/** Cumulative counters. The difference of two readings is the usage between them. */
export interface Reading {
  postgresCpuMs: number;
  redisCpuMs: number;
  processCpuMs: Record<string, number>;
  walBytes: number;
  /** Full page images and records, as `pg_stat_wal` counts them for the whole server. */
  walFullPageImages: number;
  walRecords: number;
  walSyncs: number;
  commits: number;
  /** Statements that clients sent, without transaction control. */
  statements: number;
  planMs: number;
  transactionControls: number;
  redisCommands: Record<string, number>;
  atMs: number;
}

/** A tick of /proc is a hundredth of a second on every Linux that runs Node (USER_HZ, proc(5)). */
const tickMs = 10;

/** CPU time of a process with all its threads. `children` adds the children that it has waited for (proc(5), fields 14–17). */
export function cpuMsOf(pid: number, children = false): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return 0;
  }
  // The name may contain spaces. The fields after it do not.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return (user + system + (children ? childUser + childSystem : 0)) * tickMs;
}

/** The postmaster, every living backend, and every backend that has ended. */
export function postgresCpuMs(postmasterPid: number): number {
  let total = cpuMsOf(postmasterPid, true);
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    if (parentOf(Number(entry)) === postmasterPid) total += cpuMsOf(Number(entry));
  }
  return total;
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

export interface Meters {
  read(): Promise<Reading>;
  /** The most expensive statements, with their cost. */
  statements(): Promise<StatementUse[]>;
  /** Rows per statement, for statements that handle many calls. Absent if the statement did not run. */
  batches(): Promise<Record<string, number>>;
  /** The share of each table's updates that changed no indexed column and stayed on their page, and so touched no index (HOT). */
  hotUpdates(): Promise<Record<string, number>>;
  connections(): Promise<Record<string, number>>;
  reset(): Promise<void>;
  close(): Promise<void>;
}

export interface StatementUse {
  query: string;
  calls: number;
  totalMs: number;
  /** The planning time of each execution, because statements are not prepared by name. */
  planMs: number;
  rows: number;
  walBytes: number;
}

/** Excludes the meters' own queries. */
const ours = '/* meter */';

export async function openMeters(args: {
  databaseUrl: string;
  redisUrl: string;
  postgresPid: number;
  processes: Record<string, number>;
}): Promise<Meters> {
  const client = new pg.Client({ connectionString: args.databaseUrl, application_name: 'meter' });
  await client.connect();
  const redis = new Redis(args.redisUrl);
  return {
    async read() {
      const wal = await client.query<Record<string, string>>(`${ours}
        select pg_current_wal_lsn() - '0/0' as wal_bytes, w.wal_fpi, w.wal_records, io.syncs,
          (select xact_commit from pg_stat_database where datname = current_database()) as commits,
          s.statements, s.controls, s.plan_ms
        from pg_stat_wal w,
          (select coalesce(sum(fsyncs), 0) as syncs from pg_stat_io where object = 'wal') io,
          (select coalesce(sum(calls) filter (where query !~* '^(begin|commit|rollback|start transaction)'
                                               and query not like '%meter%'), 0) as statements,
                  coalesce(sum(calls) filter (where query ~* '^(begin|commit|rollback|start transaction)'), 0) as controls,
                  coalesce(sum(total_plan_time) filter (where query not like '%meter%'), 0) as plan_ms
           from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())) s`);
      const row = wal.rows[0] ?? {};
      const [commands, cpu] = [await redis.info('commandstats'), await redis.info('cpu')];
      return {
        postgresCpuMs: postgresCpuMs(args.postgresPid),
        redisCpuMs: (infoNumber(cpu, 'used_cpu_user') + infoNumber(cpu, 'used_cpu_sys')) * 1000,
        processCpuMs: Object.fromEntries(
          Object.entries(args.processes).map(([name, pid]) => [name, cpuMsOf(pid)]),
        ),
        walBytes: Number(row['wal_bytes']),
        walFullPageImages: Number(row['wal_fpi']),
        walRecords: Number(row['wal_records']),
        walSyncs: Number(row['syncs']),
        commits: Number(row['commits']),
        statements: Number(row['statements']),
        planMs: Number(row['plan_ms']),
        transactionControls: Number(row['controls']),
        redisCommands: commandCounts(commands),
        atMs: performance.now(),
      };
    },
    async statements() {
      const { rows } = await client.query<Record<string, string>>(`${ours}
        select regexp_replace(query, '\\s+', ' ', 'g') as query, calls, total_exec_time, total_plan_time, rows, wal_bytes
        from pg_stat_statements
        where dbid = (select oid from pg_database where datname = current_database()) and query not like '%meter%'
        order by total_exec_time + total_plan_time desc limit 40`);
      return rows.map((row) => ({
        query: (row['query'] ?? '').slice(0, 160),
        calls: Number(row['calls']),
        totalMs: Number(row['total_exec_time']),
        planMs: Number(row['total_plan_time']),
        rows: Number(row['rows']),
        walBytes: Number(row['wal_bytes']),
      }));
    },
    async batches() {
      const { rows } = await client.query<{ name: string; size: number | null }>(`${ours}
        select k.name, (sum(s.rows) / nullif(sum(s.calls), 0))::float8 as size
        from (values ('claim', '%insert into calls%'), ('gate', '%insert into calls%'),
                     ('progress', '%update calls c%')) as k(name, pattern)
        join pg_stat_statements s on s.query like k.pattern
        where s.dbid = (select oid from pg_database where datname = current_database()) group by 1`);
      return Object.fromEntries(rows.map((row) => [row.name, row.size ?? 0]));
    },
    async hotUpdates() {
      const { rows } = await client.query<{ name: string; share: number }>(`${ours}
        select relname as name, n_tup_hot_upd::float8 / n_tup_upd as share from pg_stat_user_tables
        where n_tup_upd > 0 and relname in ('calls', 'campaign_recipients', 'campaign_runtime', 'organizations', 'providers')`);
      return Object.fromEntries(rows.map((row) => [row.name, row.share]));
    },
    async connections() {
      const { rows } = await client.query<{ name: string; count: string }>(`${ours}
        select application_name as name, count(*) from pg_stat_activity
        where datname = current_database() and application_name <> 'meter' group by 1 order by 1`);
      return Object.fromEntries(rows.map((row) => [row.name, Number(row.count)]));
    },
    async reset() {
      await client.query(`${ours} select pg_stat_statements_reset()`);
      await redis.call('config', 'resetstat');
    },
    async close() {
      redis.disconnect();
      await client.end();
    },
  };
}

export function infoNumber(info: string, key: string): number {
  return Number(new RegExp(`^${key}:([\\d.]+)`, 'm').exec(info)?.[1] ?? Number.NaN);
}

/** Calls of each command, including those in scripts: the load of Redis's one thread. */
function commandCounts(info: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [, name, calls] of info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) {
    if (name !== undefined) counts[name] = Number(calls);
  }
  return counts;
}
