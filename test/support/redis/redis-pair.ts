import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@outdial/local';
import { Redis } from 'ioredis';
import { findRedis } from './find-redis.ts';
import { superviseRedis } from './supervise-redis.ts';

export interface RedisNode {
  readonly url: string;
  readonly port: number;
  /** Makes it a replica of the other, without closing its connections. */
  follow(other: { port: number }): Promise<void>;
  promote(): Promise<void>;
  client(): Redis;
}

export class NoRedisError extends Error {
  readonly code = 'no_redis';
}

/** Two servers of this machine's Redis, the second a replica of the first. */
export async function startRedisPair(): Promise<{
  nodes: readonly [RedisNode, RedisNode];
  stop(): Promise<void>;
}> {
  const found = await findRedis();
  if (found.state === 'missing') throw new NoRedisError(found.reason);
  const { program } = found;
  const root = mkdtempSync(join(tmpdir(), 'outdial-redis-pair-'));
  const servers: Array<{ stop(): Promise<void> }> = [];
  const clients: Redis[] = [];
  async function node(name: string): Promise<RedisNode> {
    const folder = join(root, name);
    mkdirSync(folder);
    const port = await freePort();
    servers.push(await superviseRedis(program, folder, { port, appendonly: 'no' }));
    const client = new Redis(port, '127.0.0.1');
    client.on('error', () => undefined);
    clients.push(client);
    await client.ping();
    return {
      url: `redis://127.0.0.1:${port}`,
      port,
      follow: async (other) => void (await client.replicaof('127.0.0.1', other.port)),
      promote: async () => void (await client.replicaof('NO', 'ONE')),
      client: () => client,
    };
  }
  const nodes = [await node('a'), await node('b')] as const;
  await nodes[1].follow(nodes[0]);
  return {
    nodes,
    async stop() {
      for (const client of clients) client.disconnect();
      await Promise.all(servers.map((server) => server.stop()));
      rmSync(root, { recursive: true, force: true });
    },
  };
}
