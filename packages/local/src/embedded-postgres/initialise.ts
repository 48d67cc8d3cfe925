import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { DataDirectoryError } from '../data-directory/errors.ts';
import type { PostgresLayout } from './layout.ts';
import { pathForServer, serverEnvironment } from './layout.ts';
import type { ServerUser } from './server-user.ts';
import type { Durability } from './settings.ts';

/** The cluster's only user. */
export const superuser = 'outdial';

/** Creates a cluster with a random password, in a file that only its owner can read. */
export async function initialiseCluster(options: {
  layout: PostgresLayout;
  initdb: string;
  user: ServerUser | null;
  durability: Durability;
}): Promise<void> {
  const { layout, user } = options;
  rmSync(layout.pgDataFresh, { recursive: true, force: true });
  mkdirSync(layout.pgDataFresh, { mode: 0o700 });

  const password = randomBytes(24).toString('base64url');
  rmSync(layout.passwordFile, { force: true });
  writeFileSync(layout.passwordFile, `${password}\n`, { mode: 0o600 });
  if (user) {
    chownSync(layout.pgDataFresh, user.uid, user.gid);
    // initdb reopens /dev/stdin by name, so it needs permission to read the file.
    chownSync(layout.passwordFile, user.uid, user.gid);
  }

  const passwordInput = openSync(layout.passwordFile, 'r');
  try {
    const initdb = spawn(
      options.initdb,
      [
        `--pgdata=${pathForServer(layout.pgDataFresh, user !== null)}`,
        `--username=${superuser}`,
        '--pwfile=/dev/stdin',
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        // Postgres's built-in collation sorts text the same on every system.
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--no-instructions',
        ...(options.durability === 'none' ? ['--no-sync'] : []),
      ],
      {
        cwd: layout.pgDataFresh,
        env: serverEnvironment,
        stdio: [passwordInput, 'ignore', 'pipe'],
        ...user,
      },
    );
    let stderr = '';
    initdb.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    await once(initdb, 'close');
    if (initdb.exitCode !== 0) {
      const reason =
        stderr
          .trim()
          .split('\n')
          .find((line) => line.includes('error:')) ?? stderr.trim();
      throw new DataDirectoryError(
        'data_directory_unusable',
        `A database could not be created in ${layout.pgData}: ${reason}`,
      );
    }
  } finally {
    closeSync(passwordInput);
    if (user) chownSync(layout.passwordFile, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
  }
  rmSync(layout.pgData, { recursive: true, force: true });
  renameSync(layout.pgDataFresh, layout.pgData);
}
