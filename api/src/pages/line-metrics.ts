import { listLinesInUse, type Db } from '@outdial/db';
import type { Metrics } from '@outdial/runtime';

/** Shorter than the ten seconds after which Prometheus gives a scrape up. */
const WAIT_MS = 2_000;

/**
 * Lines in use, as the database counts them. Where it does not answer in time the gauge has no series: the scrape that tells of a pool without a free
 * connection must not wait for one.
 */
export async function recordLines(db: Db, { linesInUse }: Pick<Metrics, 'linesInUse'>): Promise<void> {
  linesInUse.reset();
  const { promise: late, resolve } = Promise.withResolvers<[]>();
  const timer = setTimeout(() => resolve([]), WAIT_MS);
  const read = listLinesInUse(db).catch(() => []);
  const counts = await Promise.race([read, late]);
  clearTimeout(timer);
  for (const count of counts) linesInUse.set({ provider: count.provider }, count.linesInUse);
}
