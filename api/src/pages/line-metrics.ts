import { listLinesInUse, type Db } from '@outdial/db';
import type { Metrics } from '@outdial/runtime';

/** Less than Prometheus' scrape timeout of ten seconds. */
const waitMs = 2_000;

/**
 * Lines in use, from the database. If it does not respond in time, the gauge has no series, so that the scrape that reports an exhausted
 * pool does not wait for a connection.
 */
export async function recordLines(db: Db, { linesInUse }: Pick<Metrics, 'linesInUse'>): Promise<void> {
  linesInUse.reset();
  const { promise: late, resolve } = Promise.withResolvers<[]>();
  const timer = setTimeout(() => resolve([]), waitMs);
  const read = listLinesInUse(db).catch(() => []);
  const counts = await Promise.race([read, late]);
  clearTimeout(timer);
  for (const count of counts) linesInUse.set({ provider: count.provider }, count.linesInUse);
}
