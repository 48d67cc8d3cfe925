import { freePort } from '@outdial/local';
import { startRedisPair } from '../../support/redis/redis-pair.ts';
import { startSentinel } from '../../support/redis/start-sentinel.ts';
import { again } from './again.ts';
import { variableOfPage } from './page-variables.ts';
import type { RedisServer } from './redis-server.ts';

const user = { name: 'outdial', password: 'of-the-acl' };

/** Two Redis behind a Sentinel, whose replica takes over. The service is a user of their ACL. */
export async function startRedisWithSentinel(): Promise<RedisServer> {
  const pair = await startRedisPair();
  const [first, second] = pair.nodes;
  // The user may do what the queues need, and not change the server.
  const rights = ['~*', '&*', '+@all', '-@admin', '-@dangerous', '+info', '+client|setname'];
  for (const node of pair.nodes) {
    await node.client().call('acl', 'setuser', user.name, 'on', `>${user.password}`, ...rights);
  }
  const sentinel = await startSentinel(first);
  const flush = async () => void (await second.client().flushall());
  await again('the replica is known', async () => {
    if (!(await sentinel.knowsReplica())) throw new Error('it is not');
  });
  // Two of the three Sentinels are down.
  const ports = [await freePort(), sentinel.port, await freePort()];
  const hosts = ports.map((port) => ({ host: '127.0.0.1', port }));
  const url = variableOfPage('REDIS_URL', {
    ':password@': `${user.name}:${user.password}@`,
    ...Object.fromEntries(ports.map((port, n) => [`s${n + 1}.example.com:26379`, `127.0.0.1:${port}`])),
  });
  return {
    url,
    sentinel: { name: variableOfPage('REDIS_SENTINEL'), hosts },
    async killAndRestart() {
      await again('the failover begins', async () => {
        if (!(await sentinel.failOver())) throw new Error('there is no replica to promote');
      });
      await again('the second is the primary', async () => {
        const [role] = (await second.client().role()) as [string];
        if (role !== 'master') throw new Error(`it is ${role}`);
      });
    },
    loseEverything: flush,
    flush,
    async stop() {
      await sentinel.stop();
      await pair.stop();
    },
  };
}
