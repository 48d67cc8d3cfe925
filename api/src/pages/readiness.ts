import { pendingMigrations } from '@outdial/db';
import type { ApiDeps } from '../deps.ts';

const DEADLINE_MS = 2_000;

/** What stands in the way of serving, by what is concerned. The words are for anyone; the errors go to the log. */
export async function readinessFaults({
  db,
  queues,
  log,
}: Pick<ApiDeps, 'db' | 'queues' | 'log'>): Promise<Record<string, string>> {
  const checks: Record<string, () => Promise<string | null>> = {
    database: async () => {
      const pending = await pendingMigrations(db);
      return pending.length === 0 ? null : `migrations have not run: ${pending.join(', ')}`;
    },
    queue: async () => {
      await queues?.queues[0]?.getWaitingCount();
      return null;
    },
  };
  const faults: Record<string, string> = {};
  await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        const fault = await inTime(check());
        if (fault !== null) {
          faults[name] = fault;
        }
      } catch (error) {
        log.warn({ err: error, check: name }, 'not ready');
        faults[name] = 'cannot be reached';
      }
    }),
  );
  return faults;
}

async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer in ${DEADLINE_MS} ms`)), DEADLINE_MS);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
