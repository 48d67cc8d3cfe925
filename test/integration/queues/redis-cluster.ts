import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type SupervisedChild } from '@outdial/local';
import { Redis } from 'ioredis';
import { findRedis } from '../../support/redis/find-redis.ts';
import type { RedisProgram } from '../../support/redis/redis-program.ts';
import { superviseRedis } from '../../support/redis/supervise-redis.ts';
import { eventually } from '../queues.world.ts';

/** The number of hash slots: https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ */
const slots = 16_384;
const masters = 3;

export interface RedisCluster {
  /** One node, from which clients discover the others. */
  url: string;
  /** A connection to each master. */
  nodes: readonly Redis[];
  close(): Promise<void>;
}

interface Node {
  port: number;
  busPort: number;
  redis: Redis;
  server: SupervisedChild;
}

/** A real cluster of three masters on loopback. Null if this machine has no redis-server. */
export async function openRedisCluster(): Promise<RedisCluster | null> {
  const found = await findRedis();
  if (found.state === 'missing') return null;
  const folder = mkdtempSync(join(tmpdir(), 'outdial-cluster-'));
  const nodes: Node[] = [];
  const close = async () => {
    for (const node of nodes) node.redis.disconnect();
    await Promise.all(nodes.map((node) => node.server.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (let n = 0; n < masters; n++) nodes.push(await startNode(found.program, join(folder, String(n))));
    await introduce(nodes);
    return {
      url: `redis://127.0.0.1:${nodes[0]?.port ?? 0}`,
      nodes: nodes.map((node) => node.redis),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startNode(program: RedisProgram, folder: string): Promise<Node> {
  mkdirSync(folder);
  const port = await freePort();
  const busPort = await freePort();
  const server = await superviseRedis(program, folder, {
    port,
    'cluster-enabled': 'yes',
    // The default is the port plus 10000, which may exceed the maximum.
    'cluster-port': busPort,
    appendonly: 'no',
  });
  const redis = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 20, maxRetriesPerRequest: null });
  // A starting server does not answer.
  redis.on('error', () => undefined);
  await redis.ping();
  return { port, busPort, redis, server };
}

/** Does the work of `redis-cli --cluster create`: gives each node an epoch and slots, and makes them meet. */
async function introduce(nodes: readonly Node[]): Promise<void> {
  const [first, ...others] = nodes;
  if (!first) throw new Error('a cluster has nodes');
  const share = Math.ceil(slots / nodes.length);
  for (const [n, { redis }] of nodes.entries()) {
    await redis.cluster('SET-CONFIG-EPOCH', n + 1);
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', n * share, Math.min((n + 1) * share, slots) - 1);
  }
  for (const { port, busPort } of others) {
    await first.redis.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
  }
  await eventually(async () => {
    const infos = await Promise.all(nodes.map(({ redis }) => redis.cluster('INFO')));
    return infos.every(
      (info) => info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}`),
    );
  });
}
