import type { Swept } from '@outdial/core';
import { deleteOldOutboxEvents, engineNow } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

const batch = 5_000;

/** Deletes outbox rows that are older than 30 days. */
export async function forgetOutbox(deps: Pick<ControlDeps, 'db'>): Promise<Swept> {
  const done = await deleteOldOutboxEvents(deps.db, { now: await engineNow(deps.db), limit: batch });
  return { done, isFull: done === batch };
}
