import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, superviseChild } from '@outdial/local';
import { Redis } from 'ioredis';
import { findRedis } from './find-redis.ts';
import { NoRedisError } from './redis-pair.ts';

/** A Sentinel that knows a primary as `mymaster`. */
export interface Sentinel {
  port: number;
  knowsReplica(): Promise<boolean>;
  /** Begins a failover. False as long as there is no replica that it may promote. */
  failOver(): Promise<boolean>;
  stop(): Promise<void>;
}

export async function startSentinel(primary: { port: number }): Promise<Sentinel> {
  const found = await findRedis();
  if (found.state === 'missing') throw new NoRedisError(found.reason);
  const folder = mkdtempSync(join(tmpdir(), 'outdial-sentinel-'));
  const port = await freePort();
  const file = join(folder, 'sentinel.conf');
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor mymaster 127.0.0.1 ${primary.port} 1`,
    // Long, so that it begins no failover by itself where a busy machine stalls.
    'sentinel down-after-milliseconds mymaster 60000',
    'sentinel failover-timeout mymaster 60000',
  ];
  writeFileSync(file, settings.join('\n'));
  const child = await superviseChild({
    command: found.program.command,
    args: [file, '--sentinel'],
    cwd: folder,
    env: found.program.env,
    logPath: join(folder, 'sentinel.log'),
    stopWith: [{ signal: 'SIGKILL', afterMs: 0 }],
  });
  const client = new Redis(port, '127.0.0.1');
  client.on('error', () => undefined);
  return {
    port,
    async knowsReplica() {
      const replicas = (await client.call('sentinel', 'replicas', 'mymaster')) as unknown[];
      return replicas.length === 1;
    },
    // A Sentinel that has not asked the replica yet finds none to promote.
    failOver: () =>
      client.call('sentinel', 'failover', 'mymaster').then(
        () => true,
        (error: unknown) => {
          if (!String(error).includes('NOGOODSLAVE')) throw error;
          return false;
        },
      ),
    async stop() {
      client.disconnect();
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
