import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPackages, withLibraries } from '../debian/unpack-packages.ts';
import type { FoundRedis, RedisProgram } from './redis-program.ts';

/** Unpacks the Redis of Debian or Ubuntu into the cache. */
export function unpackRedis(): Promise<FoundRedis> {
  return unpackPackages({ name: 'redis', packages: ['redis-server'], foundIn });
}

/** The unpacked server with its libraries, if it runs. */
function foundIn(root: string): RedisProgram | null {
  const command = join(root, 'usr/bin/redis-server');
  if (!existsSync(command)) return null;
  const env = withLibraries(root);
  if (spawnSync(command, ['--version'], { env, stdio: 'ignore' }).status !== 0) return null;
  return { command, env };
}
