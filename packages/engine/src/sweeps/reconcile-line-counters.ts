import type { Swept } from '@outdial/core';
import { inTransaction, reconcileLines } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

/** Puts line counters right that disagree with the rows. Anything but zero is a fault worth a look. */
export async function reconcileLineCounters(deps: ControlDeps): Promise<Swept> {
  const repaired = await inTransaction(deps.db, (tx) => reconcileLines(tx));
  if (repaired > 0) deps.log.error({ repaired }, 'line counters disagreed with the rows and were put right');
  return { done: repaired, isFull: false };
}
