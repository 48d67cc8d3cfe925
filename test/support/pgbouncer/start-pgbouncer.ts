import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@outdial/local';
import pg from 'pg';
import { unpackPackages, withLibraries, type Unpacked } from '../debian/unpack-packages.ts';
import { waitFor } from '../stack/wait-for.ts';

export interface Pgbouncer {
  /** The same database through the pooler. */
  url: string;
  stop(): Promise<void>;
}

interface PgbouncerProgram {
  command: string;
  env: Record<string, string>;
  /** Since 1.21, it prepares the statements of its clients in each of its connections. */
  prepares: boolean;
}

/** pgbouncer refuses to run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Unpacks the pgbouncer of Debian or Ubuntu into the cache. */
export function findPgbouncer(): Promise<Unpacked<PgbouncerProgram>> {
  return unpackPackages({ name: 'pgbouncer', packages: ['pgbouncer'], foundIn });
}

function foundIn(root: string): PgbouncerProgram | null {
  const command = join(root, 'usr/sbin/pgbouncer');
  if (!existsSync(command)) return null;
  const env = withLibraries(root);
  const { status, stdout } = spawnSync(command, ['--version'], { env, encoding: 'utf8' });
  const minor = Number(/^PgBouncer 1\.(\d+)/.exec(stdout)?.[1]);
  return status === 0 ? { command, env, prepares: minor >= 21 } : null;
}

/** Starts a pooler with the settings of the page on Postgres and Redis in production, without those that its version does not know. */
export async function startPgbouncer(
  { command, env, prepares }: PgbouncerProgram,
  databaseUrl: string,
  connections: number,
): Promise<Pgbouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-pgbouncer-'));
  const server = new URL(databaseUrl);
  const port = await freePort();
  const settings = settingsOfPage().filter((line) => prepares || !line.startsWith('max_prepared_statements'));
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port} user=${server.username} password='${decodeURIComponent(server.password)}'
[pgbouncer]
${settings.join('\n')}
auth_type = any
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
default_pool_size = ${connections}
max_client_conn = 200
`,
  );
  chmodSync(folder, 0o755);
  if (nobody.uid !== undefined) chownSync(file, nobody.uid, nobody.gid);
  const child = spawn(command, [file], { env, stdio: 'ignore', ...nobody });
  const ended = once(child, 'exit');
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  await waitFor('pgbouncer to answer', async () => {
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => undefined);
    return client
      .connect()
      .then(() => client.query('select 1'))
      .then(() => client.end())
      .then(
        () => true,
        () => false,
      );
  });
  return {
    url: url.href,
    async stop() {
      kill();
      await ended;
      process.off('exit', kill);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const page = new URL('../../../docs/operations/postgres-and-redis.md', import.meta.url);

function settingsOfPage(): string[] {
  const block = /```ini\n\[pgbouncer\]\n([\s\S]*?)```/.exec(readFileSync(page, 'utf8'))?.[1];
  if (block === undefined) throw new Error('the page has no settings of pgbouncer');
  return block.trim().split('\n');
}
