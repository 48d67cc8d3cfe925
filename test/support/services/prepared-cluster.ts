import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { lockDataDirectory, startEmbeddedPostgres } from '@outdial/local';
import pg from 'pg';
import { cacheFolder } from '../debian/unpack-packages.ts';
import { makeTemplate } from './template-database.ts';

const shelf = join(cacheFolder, 'test-cluster');
/** One cluster for this state of the migrations, and some for those of other branches. */
const keptAtMost = 3;
/** The files of startEmbeddedPostgres in a data directory. */
const parts = ['postgres', 'postgres-password'] as const;

/**
 * Copies a cluster with the template database into a data directory. The cluster is created once for each state of its inputs, because initdb and all
 * migrations take far longer than most test files.
 */
export async function layOutPreparedCluster(dataDir: string): Promise<void> {
  const prepared = join(shelf, fingerprint());
  if (!existsSync(prepared)) await prepare(prepared);
  utimesSync(prepared, new Date(), new Date());
  mkdirSync(dataDir, { recursive: true });
  // `-a` keeps the owner: a Postgres that root starts runs as another user.
  execFileSync('cp', ['-a', ...parts.map((part) => join(prepared, part)), dataDir]);
}

async function prepare(prepared: string): Promise<void> {
  mkdirSync(shelf, { recursive: true });
  const draft = mkdtempSync(join(shelf, 'draft-'));
  try {
    const server = await startEmbeddedPostgres({ directory: lockDataDirectory(draft), durability: 'none' });
    try {
      await makeTemplate(server.databaseUrl);
      await hashPasswordOnce(server.databaseUrl);
    } finally {
      await server.stop();
    }
    for (const file of readdirSync(draft)) {
      if (!parts.some((part) => part === file)) rmSync(join(draft, file), { recursive: true });
    }
    renameSync(draft, prepared);
  } catch (error) {
    // If the cluster exists now, a concurrent run was faster.
    if (!existsSync(prepared)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  const byUse = readdirSync(shelf)
    .map((name) => ({ path: join(shelf, name), usedMs: statSync(join(shelf, name)).mtimeMs }))
    .toSorted((a, b) => b.usedMs - a.usedMs);
  for (const { path } of byUse.slice(keptAtMost)) rmSync(path, { recursive: true, force: true });
}

/**
 * A run opens thousands of connections, and for each one the client hashes the password 4,096 times by default, which takes a millisecond of CPU
 * time. Fewer are enough here, because the password is random and the database has only test data.
 */
async function hashPasswordOnce(databaseUrl: string): Promise<void> {
  const { username, password } = new URL(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('set scram_iterations = 1');
  await client.query(
    `alter role ${pg.escapeIdentifier(username)} password ${pg.escapeLiteral(decodeURIComponent(password))}`,
  );
  await client.end();
}

/** A hash of all files on which the cluster depends. A change of any of them creates a new cluster. */
function fingerprint(): string {
  const root = join(import.meta.dirname, '../../..');
  const migrations = join(root, 'db/migrations');
  const files = [
    ...readdirSync(migrations)
      .toSorted()
      .map((name) => join(migrations, name)),
    // Contains the versions of Postgres and of BullMQ, whose tables are in the template.
    join(root, 'packages/local/package.json'),
    join(root, 'packages/queues/package.json'),
    join(root, 'packages/local/src/embedded-postgres/initialise.ts'),
    join(import.meta.dirname, 'template-database.ts'),
    import.meta.filename,
  ];
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.getuid?.() ?? ''}`);
  for (const file of files) hash.update(`\n${file.slice(root.length)}\n`).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}
