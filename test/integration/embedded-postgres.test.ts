import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  DataDirectoryError,
  freePort,
  lockDataDirectory,
  PortTakenError,
  startEmbeddedPostgres,
  watchPostgres,
} from '@outdial/local';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

const owner = fileURLToPath(new URL('./embedded-postgres.owner.ts', import.meta.url));

function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-embedded-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { dataDir: join(folder, 'data') };
}

/** Runs a server during `use`, which gets a function that runs a statement. */
async function withServer<Result>(
  dataDir: string,
  use: (server: {
    query: (sql: string) => Promise<unknown>;
    isNew: boolean;
    endedLeftover: boolean;
  }) => Promise<Result>,
): Promise<Result> {
  const directory = lockDataDirectory(dataDir);
  try {
    const server = await startEmbeddedPostgres({ directory, durability: 'none' });
    try {
      return await use({ ...server, query: (sql) => query(server.databaseUrl, sql) });
    } finally {
      await server.stop();
    }
  } finally {
    directory.release();
  }
}

async function query(databaseUrl: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return Object.values(rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

/** A separate process that owns a server in `dataDir`. */
async function ownerProcess(dataDir: string) {
  const child = spawn(process.execPath, [owner, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdout.setEncoding('utf8');
  const [databaseUrl = '', pid] = String((await once(child.stdout, 'data'))[0]).split(' ');
  const serverPid = Number(pid);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await gone(serverPid);
  });
  return { child, databaseUrl, serverPid };
}

async function killed(child: ChildProcess) {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const gone = (pid: number) => expect.poll(() => isAlive(pid), { interval: 10 }).toBe(false);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('embedded Postgres', () => {
  test('keeps its data across starts, with a password that only its owner can read', async () => {
    const { dataDir } = setup();
    await withServer(dataDir, async ({ query, isNew }) => {
      expect(isNew).toBe(true);
      await query('create table kept as select 42 as answer');
    });
    await withServer(dataDir, async ({ query, isNew }) => {
      expect(isNew).toBe(false);
      expect(await query('select answer from kept')).toBe(42);
      expect(await query('show max_connections')).toBe('300');
    });
    expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
  });

  test('rejects connections without the password', async () => {
    const { dataDir } = setup();
    const directory = lockDataDirectory(dataDir);
    const server = await startEmbeddedPostgres({ directory, durability: 'none' });
    const url = new URL(server.databaseUrl);
    url.password = 'guessed';
    await expect(query(url.href, 'select 1')).rejects.toThrow('password authentication failed');
    await server.stop();
  });

  test('runs below a folder that no other user may enter', async () => {
    const { dataDir } = setup();
    mkdirSync(dataDir);
    chmodSync(join(dataDir, '..'), 0o700);
    chmodSync(dataDir, 0o700);
    await withServer(dataDir, async ({ query }) => expect(await query('select 1')).toBe(1));
    expect(existsSync(join(dataDir, 'postgres', 'PG_VERSION'))).toBe(true);
  });

  test('ends with its owner, even when that is killed, and the next start finds everything', async () => {
    const { dataDir } = setup();
    const { child, databaseUrl, serverPid } = await ownerProcess(dataDir);
    await query(databaseUrl, 'create table kept as select 7 as answer');
    await killed(child);
    await gone(serverPid);
    await withServer(dataDir, async ({ query }) => expect(await query('select answer from kept')).toBe(7));
  });

  test('recovers from a server that was killed too', async () => {
    const { dataDir } = setup();
    const { child, databaseUrl, serverPid } = await ownerProcess(dataDir);
    await query(databaseUrl, 'create table kept as select 8 as answer');
    process.kill(serverPid, 'SIGKILL');
    await killed(child);
    await withServer(dataDir, async ({ query }) => expect(await query('select answer from kept')).toBe(8));
  });

  test.runIf(process.platform === 'linux')(
    'stops a server whose owner and supervisor were killed together',
    async () => {
      const { dataDir } = setup();
      const { child, databaseUrl, serverPid } = await ownerProcess(dataDir);
      await query(databaseUrl, 'create table kept as select 9 as answer');
      const supervisorPid = Number(
        readFileSync(`/proc/${serverPid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1],
      );
      process.kill(supervisorPid, 'SIGSTOP');
      await killed(child);
      process.kill(supervisorPid, 'SIGKILL');
      await withServer(dataDir, async ({ query, endedLeftover }) => {
        expect(endedLeftover).toBe(true);
        expect(await query('select answer from kept')).toBe(9);
      });
      expect(isAlive(serverPid)).toBe(false);
    },
  );

  test('starts despite a process file whose number belongs to another program', async () => {
    const { dataDir } = setup();
    await withServer(dataDir, async ({ query }) => query('select 1'));
    writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), `${process.pid}\n${dataDir}\n1\n5432\n\n\n\n`);
    await withServer(dataDir, async ({ query }) => expect(await query('select 1')).toBe(1));
  });
});

describe('a watched embedded Postgres', () => {
  async function watchedServer() {
    const { dataDir } = setup();
    const directory = lockDataDirectory(dataDir);
    const first = await startEmbeddedPostgres({ directory, durability: 'none' });
    const { port, databaseUrl, serverPid } = first;
    const notices: string[] = [];
    const start = () => startEmbeddedPostgres({ directory, port, durability: 'none' });
    const watched = watchPostgres(first, start, { firstPauseMs: 1 });
    onTestFinished(async () => {
      await watched.stop();
      directory.release();
    });
    return { dataDir, databaseUrl, serverPid, watched, notices };
  }

  test('restarts on its port with its data after a kill, and says so in one line', async () => {
    const { dataDir, databaseUrl, serverPid, watched, notices } = await watchedServer();
    watched.keepRunning((text) => notices.push(text));
    await query(databaseUrl, 'create table kept as select 42 as answer');
    process.kill(serverPid, 'SIGKILL');
    await expect.poll(() => query(databaseUrl, 'select answer from kept').catch(() => null)).toBe(42);
    expect(notices[0]).toBe('Postgres ended (SIGKILL) and will restart in 0.001 s');
    await watched.stop();
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
  });

  test('is given up with the reason if it cannot start', async () => {
    const { dataDir, serverPid, watched, notices } = await watchedServer();
    watched.keepRunning((text) => notices.push(text));
    writeFileSync(join(dataDir, 'postgres/PG_VERSION'), 'garbage');
    process.kill(serverPid, 'SIGKILL');
    expect(await watched.gaveUp).toContain('is damaged');
    expect(notices).toHaveLength(5);
  });

  test('is not restarted if it exits before keepRunning', async () => {
    const { serverPid, watched } = await watchedServer();
    process.kill(serverPid, 'SIGKILL');
    expect(await watched.gaveUp).toBe('SIGKILL');
  });
});

describe('faults are one line', () => {
  test('a data directory in use', async () => {
    const { dataDir } = setup();
    const { child } = await ownerProcess(dataDir);
    const start = () => lockDataDirectory(dataDir);
    expect(start).toThrow(DataDirectoryError);
    expect(start).toThrow(`in use by another Outdial (process ${child.pid})`);
  });

  test.each([
    ['an emptied version file', (pgData: string) => truncateSync(join(pgData, 'PG_VERSION'))],
    ['a version of another Postgres', (pgData: string) => writeFileSync(join(pgData, 'PG_VERSION'), '12\n')],
    ['a lost control file', (pgData: string) => rmSync(join(pgData, 'global', 'pg_control'))],
    ['a cut control file', (pgData: string) => truncateSync(join(pgData, 'global', 'pg_control'), 10)],
    ['a lost log of writes', (pgData: string) => rmSync(join(pgData, 'pg_wal'), { recursive: true })],
    ['lost tables', (pgData: string) => rmSync(join(pgData, 'base'), { recursive: true })],
    ['a lost password', (pgData: string) => rmSync(join(pgData, '..', 'postgres-password'))],
    [
      'a file in its place',
      (pgData: string) => (rmSync(pgData, { recursive: true }), writeFileSync(pgData, '')),
    ],
  ])('a damaged data directory: %s', async (_, damage) => {
    const { dataDir } = setup();
    await withServer(dataDir, async ({ query }) => query('select 1'));
    damage(join(dataDir, 'postgres'));
    const error = await withServer(dataDir, async () => null).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(DataDirectoryError);
    expect(error).toMatchObject({ code: 'data_directory_corrupt' });
    expect(String(error)).toContain(dataDir);
    expect(String(error)).not.toContain('\n');
  });

  test('a data directory that is a file', () => {
    const { dataDir } = setup();
    writeFileSync(dataDir, '');
    expect(() => lockDataDirectory(dataDir)).toThrow(DataDirectoryError);
  });

  test('a port that is taken', async () => {
    const { dataDir } = setup();
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const directory = lockDataDirectory(dataDir);
    await expect(startEmbeddedPostgres({ directory, port, durability: 'none' })).rejects.toThrow(
      PortTakenError,
    );
    directory.release();
  });
});
