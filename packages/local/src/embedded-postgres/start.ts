import { readFileSync, renameSync, statSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DataDirectoryError } from '../data-directory/errors.ts';
import type { LockedDataDirectory } from '../data-directory/lock-data-directory.ts';
import { type SupervisedChild, superviseChild } from '../child-supervisor/supervise-child.ts';
import { type PostgresBinaries, findBinaries } from './binaries.ts';
import { diagnoseStart } from './diagnose.ts';
import { PortTakenError } from './errors.ts';
import { freePort } from './free-port.ts';
import { initialiseCluster, superuser } from './initialise.ts';
import { type PostgresLayout, layoutOf, pathForServer, serverEnvironment } from './layout.ts';
import { endLeftoverServer } from './leftover.ts';
import { type ServerUser, chooseServerUser } from './server-user.ts';
import { type Durability, serverSettings } from './settings.ts';

export interface EmbeddedPostgres {
  /** The connection string of the database `outdial`, password included. */
  databaseUrl: string;
  port: number;
  /** Whether this start created the cluster. */
  isNew: boolean;
  /** Whether a server of a killed Outdial was still running and had to be stopped. */
  endedLeftover: boolean;
  logPath: string;
  serverPid: number;
  /** Resolves when the server has exited, for any reason. */
  exited: SupervisedChild['exited'];
  stop(): Promise<void>;
}

const startsAtMost = 10;
/** Crash recovery may take long. A server that needs more than this hangs. */
const readyTimeoutMs = 120_000;

/**
 * Starts a Postgres whose cluster is in `directory`, and creates the cluster at the first start. The server stops when this process ends,
 * even if it is killed.
 * @throws DataDirectoryError if the data cannot be used
 * @throws PortTakenError if the requested `port` is taken
 * @throws EmbeddedPostgresUnavailableError if Postgres cannot run on this machine
 */
export async function startEmbeddedPostgres(options: {
  directory: LockedDataDirectory;
  /** Default: any free port. */
  port?: number;
  durability?: Durability;
}): Promise<EmbeddedPostgres> {
  const { directory, durability = 'full' } = options;
  const layout = layoutOf(directory.path);
  const cluster = inspectCluster(layout.pgData);
  if (cluster.state === 'damaged') throw corrupt(directory.path, cluster.reason);

  const user = chooseServerUser(layout.pgData);
  refuseForeignOwner(layout);
  const binaries = findBinaries(user);
  const endedLeftover = await endLeftoverServer(layout.pgData);
  const isNew = cluster.state === 'absent';
  if (isNew) await initialiseCluster({ layout, initdb: binaries.initdb, user, durability });
  const password = readPassword(directory.path, layout);

  const { server, port } = await startServer({
    directory,
    layout,
    binaries,
    user,
    durability,
    port: options.port,
  });
  const databaseUrl = `postgresql://${superuser}:${password}@127.0.0.1:${port}/outdial`;
  try {
    await ensureDatabase(databaseUrl);
  } catch (cause) {
    await server.stop();
    throw corrupt(directory.path, cause instanceof Error ? cause.message : String(cause), cause);
  }
  return {
    databaseUrl,
    port,
    isNew,
    endedLeftover,
    logPath: layout.log,
    serverPid: server.pid,
    exited: server.exited,
    stop: () => server.stop(),
  };
}

/** Retries until the server is ready, or its log shows that it cannot start. */
async function startServer(options: {
  directory: LockedDataDirectory;
  layout: PostgresLayout;
  binaries: PostgresBinaries;
  user: ServerUser | null;
  durability: Durability;
  port: number | undefined;
}): Promise<{ server: SupervisedChild; port: number }> {
  const { layout, user } = options;
  let lastReason = 'it never became ready';
  for (let start = 0; start < startsAtMost; start += 1) {
    const port = options.port ?? (await freePort());
    rotateLog(layout.log);
    const server = await superviseChild({
      command: options.binaries.postgres,
      args: ['-D', pathForServer(layout.pgData, user !== null), ...serverSettings({ ...options, port })],
      cwd: layout.pgData,
      env: serverEnvironment,
      logPath: layout.log,
      // Fast shutdown, immediate shutdown, kill: https://www.postgresql.org/docs/18/server-shutdown.html
      stopWith: [
        { signal: 'SIGINT', afterMs: 0 },
        { signal: 'SIGQUIT', afterMs: 3_500 },
        { signal: 'SIGKILL', afterMs: 5_000 },
      ],
      ...(user && { user }),
    });
    if (await becomesReady(server, layout)) return { server, port };

    const failure = diagnoseStart(readFileSync(layout.log, 'utf8'));
    if (failure.reason === 'port_taken') {
      if (options.port !== undefined) throw new PortTakenError(options.port, 'embedded Postgres');
    } else if (failure.reason === 'still_ending') {
      await delay(500);
    } else {
      throw corrupt(options.directory.path, failure.message);
    }
    lastReason = failure.reason;
  }
  throw corrupt(options.directory.path, `Postgres did not start (${lastReason}; log: ${layout.log})`);
}

/** False if the server exited. Like pg_ctl, reads in the pid file whether it accepts connections. */
async function becomesReady(server: SupervisedChild, layout: PostgresLayout): Promise<boolean> {
  let hasExited = false;
  void server.exited.then(() => (hasExited = true));
  const deadline = performance.now() + readyTimeoutMs;
  while (!hasExited) {
    const lines = readLines(join(layout.pgData, 'postmaster.pid'));
    // Line 1 is the server's process, line 8 its state: miscadmin.h, LOCK_FILE_LINE_PM_STATUS.
    if (lines[0] === String(server.pid) && lines[7]?.trim() === 'ready') return true;
    if (performance.now() > deadline) {
      await server.stop();
      return false;
    }
    await delay(15);
  }
  return false;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Keeps the log of this start apart from the previous one, and bounds their size. */
function rotateLog(log: string) {
  if (statSync(log, { throwIfNoEntry: false })) renameSync(log, `${log}.1`);
}

function readPassword(dataDirectory: string, layout: PostgresLayout): string {
  try {
    return readFileSync(layout.passwordFile, 'utf8').trim();
  } catch (cause) {
    throw corrupt(
      dataDirectory,
      `the password of its database cannot be read from ${layout.passwordFile}`,
      cause,
    );
  }
}

/** Only root and its owner can open a cluster. */
function refuseForeignOwner(layout: PostgresLayout) {
  const uid = process.getuid?.();
  const owner = statSync(layout.pgData, { throwIfNoEntry: false })?.uid;
  if (uid === undefined || uid === 0 || owner === undefined || owner === uid) return;
  throw new DataDirectoryError(
    'data_directory_unusable',
    `The database in ${layout.pgData} belongs to user ${owner}, who started Outdial before. ` +
      `Start Outdial as that user, or choose another data directory with --data-dir.`,
  );
}

function corrupt(dataDirectory: string, reason: string, cause?: unknown): DataDirectoryError {
  return new DataDirectoryError(
    'data_directory_corrupt',
    `The data directory ${dataDirectory} is damaged: ${reason}. ` +
      `Restore it from a backup, or move it away to start with an empty one.`,
    { cause },
  );
}

/** Creates the database that `databaseUrl` names, if it does not exist yet. */
async function ensureDatabase(databaseUrl: string): Promise<void> {
  const url = new URL(databaseUrl);
  const name = decodeURIComponent(url.pathname.slice(1));
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 10_000 });
  // The query fails as well if the server exits. Without a listener, this event would crash the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The state of the cluster's directory. */
type ClusterState = { state: 'absent' } | { state: 'present' } | { state: 'damaged'; reason: string };

/** The embedded server's major version. It cannot read the data of another. */
const majorVersion = '18';

/** Checks the files without starting the server. The server itself reports deeper damage. */
function inspectCluster(pgData: string): ClusterState {
  const stats = statSync(pgData, { throwIfNoEntry: false });
  if (!stats) return { state: 'absent' };
  if (!stats.isDirectory()) return { state: 'damaged', reason: `${pgData} is not a folder` };
  if (readdirSync(pgData).length === 0) return { state: 'absent' };

  const version = readVersion(pgData);
  if (version === null) return { state: 'damaged', reason: 'its PG_VERSION is missing' };
  if (!/^\d+$/.test(version)) return { state: 'damaged', reason: 'its PG_VERSION is not a version' };
  if (version !== majorVersion) {
    return {
      state: 'damaged',
      reason: `it was written by Postgres ${version}, and this is ${majorVersion}`,
    };
  }
  const control = statSync(join(pgData, 'global', 'pg_control'), { throwIfNoEntry: false });
  if (!control) return { state: 'damaged', reason: 'its global/pg_control is missing' };
  return { state: 'present' };
}

function readVersion(pgData: string): string | null {
  try {
    return readFileSync(join(pgData, 'PG_VERSION'), 'utf8').trim();
  } catch {
    return null;
  }
}
