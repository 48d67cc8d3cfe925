import { join } from 'node:path';
import { superviseChild, type SupervisedChild } from '@outdial/local';
import type { RedisProgram } from './redis-program.ts';

/** Starts a Redis on loopback with its files in `folder`, which must exist. Returns before the server is ready. */
export function superviseRedis(
  program: RedisProgram,
  folder: string,
  settings: Readonly<Record<string, string | number>> & { port: number },
): Promise<SupervisedChild> {
  const all = {
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    // BullMQ requires this.
    'maxmemory-policy': 'noeviction',
    ...settings,
  };
  return superviseChild({
    command: program.command,
    args: Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)]),
    cwd: folder,
    env: program.env,
    logPath: join(folder, 'redis.log'),
    stopWith: [
      { signal: 'SIGTERM', afterMs: 0 },
      { signal: 'SIGKILL', afterMs: 3_000 },
    ],
  });
}
