import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { FoundRedis } from './redis-program.ts';
import { unpackRedis } from './unpack-redis.ts';

/** Finds `redis-server` on the PATH, or unpacks the distribution's package into `.cache/redis`. */
export async function findRedis(): Promise<FoundRedis> {
  const path = process.env['PATH'] ?? '';
  for (const folder of path.split(delimiter)) {
    const command = join(folder, 'redis-server');
    if (folder !== '' && isExecutable(command)) {
      return { state: 'found', program: { command, env: { PATH: path } } };
    }
  }
  return unpackRedis();
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
