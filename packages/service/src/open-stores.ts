import { connect, type Db } from '@outdial/db';
import { openPublisher, type Publisher } from '@outdial/queues';
import type { databaseEnv, ProcessContext, queueEnv, SettingsOf } from '@outdial/runtime';

type StoreSettings = SettingsOf<{ database: typeof databaseEnv; queue: typeof queueEnv }>;

/** What every process has: the database, which is the truth, and the queue. They are the last to be closed. */
export function openStores(
  { service, env, log, shutdown }: ProcessContext<StoreSettings>,
  pool: { poolMax: number; poolMin?: number },
): { db: Db; publisher: Publisher } {
  const db = connect({
    databaseUrl: env.database.url,
    ...pool,
    applicationName: `outdial-${service}`,
    onIdleError: (error) => log.warn({ err: error }, 'a database connection broke while idle'),
  });
  shutdown.add('database', () => db.destroy());
  const publisher = openPublisher(env.queue, { log });
  shutdown.add('publisher', () => publisher.close());
  return { db, publisher };
}
