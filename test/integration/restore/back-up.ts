import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { copyRows } from './copy-rows.ts';
import { fromPage } from './page.ts';

const run = promisify(execFile);

export interface Backup {
  /** By pg_dump, or by copying the rows if this machine has no pg_dump for this server. */
  by: string;
  /** Restores the backup into a new database. */
  restore(): Promise<TestDatabase>;
}

/** Backs up a database with the documented commands, in one snapshot, during concurrent writes. */
export async function backUp(databaseUrl: string): Promise<Backup> {
  const programs = await findPrograms(databaseUrl);
  if (programs === null) {
    const rows = await copyRows(databaseUrl);
    const restore = async () => {
      const database = await createTestDatabase();
      await rows.into(database.databaseUrl);
      return database;
    };
    return { by: 'a copy of its rows, since this machine has no pg_dump for this server', restore };
  }
  const folder = await mkdtemp(join(tmpdir(), 'outdial-backup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const inShell = (command: string, url: string) =>
    run('sh', ['-c', command], {
      cwd: folder,
      env: { PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}`, DATABASE_URL: url },
    });
  await inShell(fromPage('pg_dump'), databaseUrl);
  const restore = async () => {
    const database = await createTestDatabase({ migrated: false });
    await inShell(fromPage('pg_restore'), database.databaseUrl);
    return database;
  };
  return { by: join(programs, 'pg_dump'), restore };
}

/** The folder of a pg_dump that supports this server's version. Null if there is none. */
async function findPrograms(databaseUrl: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ major: number }>(
    `select current_setting('server_version_num')::int / 10000 as major`,
  );
  await client.end();
  const wanted = rows[0]?.major ?? Number.POSITIVE_INFINITY;
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...globSync('/usr/lib/postgresql/*/bin'),
  ].filter((folder) => ['pg_dump', 'pg_restore'].every((program) => existsSync(join(folder, program))));
  for (const folder of folders) {
    const { stdout } = await run(join(folder, 'pg_dump'), ['--version']);
    if (Number(/(\d+)\./.exec(stdout)?.[1]) >= wanted) return folder;
  }
  return null;
}
