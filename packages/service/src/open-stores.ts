import { connect, type Db } from '@outdial/db';
import { openPublisher, type Publisher } from '@outdial/queues';
import { type databaseEnv, type ProcessContext, type queueEnv, type SettingsOf } from '@outdial/runtime';
import { warnOnceReachable } from './warn-of-connections.ts';

type StoreSettings = SettingsOf<{
  database: typeof databaseEnv;
  queue: typeof queueEnv;
}>;

/** Opens what every process needs: the database and the queue. They are closed last. */
export function openStores(
  { service, env, log, shutdown }: ProcessContext<StoreSettings>,
  pool: { poolMax: number; poolMin?: number },
): { db: Db; publisher: Publisher } {
  const db = connect({
    databaseUrl: env.database.url,
    prepares: env.database.prepares,
    ...pool,
    applicationName: `outdial-${service}`,
    onIdleError: (error) => log.warn({ err: error }, 'a database connection broke while idle'),
  });
  shutdown.add('database', () => db.destroy());
  const publisher = openPublisher(env.queue, { log });
  shutdown.add('publisher', () => publisher.close());
  const needs = { log, poolMax: pool.poolMax, queue: env.queue };
  void warnOnceReachable(db, needs, shutdown.signal);
  return { db, publisher };
}
