import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPackages, withLibraries } from '../debian/unpack-packages.ts';
import type { FoundRedis, RedisProgram } from './redis-program.ts';

/** The Redis of Debian or Ubuntu, unpacked beside the project. */
export function unpackRedis(): Promise<FoundRedis> {
  return unpackPackages({ name: 'redis', packages: ['redis-server'], foundIn });
}

/** The server in this unpacked system, with the libraries that lie beside it, if it runs. */
function foundIn(root: string): RedisProgram | null {
  const command = join(root, 'usr/bin/redis-server');
  if (!existsSync(command)) return null;
  const env = withLibraries(root);
  if (spawnSync(command, ['--version'], { env, stdio: 'ignore' }).status !== 0) return null;
  return { command, env };
}
