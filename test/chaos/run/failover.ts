import { setTimeout as sleep } from 'node:timers/promises';
import { engineNow } from '@outdial/db';
import { sql } from 'kysely';
import type { CheckResult } from '../checks/evidence.ts';
import { checks } from '../checks/index.ts';
import { calmBehaviour } from '../gateway/behaviour.ts';
import type { ChaosOptions } from '../options.ts';
import { again } from '../stack/again.ts';
import { startChaosStack } from '../stack/chaos-stack.ts';
import { startPostgresPair } from '../stack/postgres-pair.ts';
import { startRedisWithSentinel } from '../stack/redis-with-sentinel.ts';
import { startCampaigns } from './campaigns.ts';
import { areAllOver, gather, limitsOf, say, untilFinished } from './under-faults.ts';
import { startWatch } from './watch.ts';

/** After a failover, dials must go on within this. */
const dialsWithinMs = 30_000;
const betweenMs = 3_000;
const recipients = 250;

/**
 * A synchronous standby of Postgres is promoted, a Sentinel promotes the replica of Redis, Redis forgets all jobs, and a worker is killed, one after
 * another, while two campaigns run. The service reads its secrets from files, and is a user of an ACL of Redis.
 */
export async function runFailover(options: ChaosOptions): Promise<CheckResult[]> {
  // The short form has no time for it.
  if (options.short && options.only !== 'failover') return [];
  const limits = limitsOf({ ...options, short: true, callsPerSecond: 10 });
  console.log(`failover: seed ${options.seed}, ${recipients} recipients, ${options.workers} workers`);
  const { workers, seed } = options;
  const behaviour = calmBehaviour(seed);
  const servers = { postgres: startPostgresPair, redis: startRedisWithSentinel };
  const stack = await startChaosStack({ workers, seed, behaviour, limits, servers });
  const { postgres, redis } = stack;
  try {
    const campaigns = await startCampaigns(stack, { recipients, limits });
    const watch = startWatch(stack, say);
    const { db, fleet } = stack;
    const steps: Array<[string, () => Promise<void>]> = [
      ['the standby of Postgres was promoted', () => postgres.crashAndRestart()],
      ['the replica of Redis was promoted', () => redis.killAndRestart(0)],
      ['Redis forgot all jobs', () => redis.flush()],
      [
        'a worker was killed',
        async () => {
          await fleet.kill('worker-1');
          fleet.start('worker-1');
        },
      ],
    ];
    const faults: string[] = [];
    const figures: string[] = [];
    for (const [what, strike] of steps) {
      await sleep(betweenMs);
      if (await areAllOver(stack)) faults.push(`all campaigns had finished before ${what}`);
      const began = performance.now();
      await strike();
      const struckAt = await again('read the clock', () => engineNow(db));
      await again('a dial', async () => {
        const { rows } = await sql<{ found: boolean }>`
          select exists (select from calls where gated_at > ${struckAt}) as found`.execute(db);
        if (rows[0]?.found !== true) throw new Error('there is none yet');
      });
      const ms = performance.now() - began;
      figures.push(`${what}: ${(ms / 1000).toFixed(1)} s`);
      if (ms > dialsWithinMs) faults.push(`${what}, and the next dial came after ${Math.round(ms / 1000)} s`);
    }
    await untilFinished(stack, options.minutes * 60_000);
    const evidence = await gather({ stack, campaigns, watch, limits });
    const results = [
      ...checks.map((check) => check(evidence)),
      { name: 'dials go on within 30 s', faults, figures: figures.join('; ') },
      { name: 'no process exited on its own', faults: stack.fleet.ownEnds, figures: '' },
    ];
    return results.map((result) => ({ ...result, name: `failover: ${result.name}` }));
  } finally {
    await stack.close();
  }
}
