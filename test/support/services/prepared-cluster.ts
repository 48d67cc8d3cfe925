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
/** Of this state of the migrations, and of those of other branches. */
const keptAtMost = 3;
/** What startEmbeddedPostgres keeps of a cluster in its data directory. */
const parts = ['postgres', 'postgres-password'] as const;

/**
 * Puts a cluster that has the template database already into a data directory. It is made once for each state of what it is made
 * of, and then copied: to run initdb and every migration takes far longer than most test files.
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
    // Another run was faster where it is there now.
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
 * A run makes thousands of connections, and for each a client hashes the password as often as the server asks: 4,096 times by default,
 * a millisecond of the processor. The password is random, and the database holds only test data.
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

/** Of everything that the cluster depends on: whatever changes one of these files gets a new cluster. */
function fingerprint(): string {
  const root = join(import.meta.dirname, '../../..');
  const migrations = join(root, 'db/migrations');
  const files = [
    ...readdirSync(migrations)
      .toSorted()
      .map((name) => join(migrations, name)),
    // The versions of Postgres, and of the queues whose tables the template has.
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
