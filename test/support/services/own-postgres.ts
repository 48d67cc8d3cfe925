import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@outdial/local';
import pg from 'pg';

export interface OwnPostgres {
  /** The superuser's database. */
  url: string;
  /** Ends the server at once, as a crash does. Its sessions break. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** Postgres refuses to run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const startSeconds = 30;

/**
 * Starts a Postgres from a copy of these programs, which `change` may alter. Its data is in a temporary folder, and it ends with this process.
 * @param prepare may change the folder of the data, and returns further settings
 */
export async function startOwnPostgres(
  installed: string,
  change: (native: string) => void = () => undefined,
  prepare: (data: string) => string[] = () => [],
): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-postgres-'));
  // A folder that the server's user can read.
  const native = join(folder, 'native');
  execFileSync('cp', ['-r', installed, native]);
  change(native);
  const bin = join(native, 'bin');
  const data = join(folder, 'data');
  mkdirSync(data);
  chmodSync(folder, 0o755);
  chmodSync(data, 0o700);
  if (nobody.uid !== undefined) chownSync(data, nobody.uid, nobody.gid);
  const options = { cwd: folder, env: { LC_ALL: 'C', TZ: 'UTC' }, ...nobody };
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    options,
  );
  const port = String(await freePort());
  const settings = [
    'fsync=off',
    'max_connections=200',
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${data}`,
    ...prepare(data),
  ];
  if (nobody.uid !== undefined) execFileSync('chown', ['-R', `${nobody.uid}:${nobody.gid}`, data]);
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-p', port, ...settings.flatMap((each) => ['-c', each])],
    { ...options, stdio: 'ignore' },
  );
  const kill = () => void server.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    await end(server);
    process.off('exit', kill);
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  for (let tries = 0; tries < startSeconds * 10; tries++) {
    if (await answers(url)) return { url, stop, crash: () => end(server, 'SIGQUIT') };
    await delay(100);
  }
  await stop();
  throw new Error(`the Postgres of ${installed} did not start`);
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** By default a fast shutdown, which does not wait for clients. */
async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
