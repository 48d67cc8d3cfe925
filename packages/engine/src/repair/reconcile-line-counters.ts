import type { Swept } from '@outdial/core';
import { inTransaction, reconcileLines } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

/** Corrects line counters that disagree with the rows. Any correction indicates a bug. */
export async function reconcileLineCounters(deps: ControlDeps): Promise<Swept> {
  const repaired = await inTransaction(deps.db, (tx) => reconcileLines(tx));
  if (repaired > 0) deps.log.error({ repaired }, 'corrected line counters that disagreed with the rows');
  return { done: repaired, isFull: false };
}
