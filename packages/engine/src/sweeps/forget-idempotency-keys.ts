import type { Swept } from '@outdial/core';
import { deleteOldIdempotencyKeys, engineNow } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

const batch = 5_000;

/** Deletes answers to repeated requests that are older than 24 hours. */
export async function forgetIdempotencyKeys(deps: Pick<ControlDeps, 'db'>): Promise<Swept> {
  const done = await deleteOldIdempotencyKeys(deps.db, { now: await engineNow(deps.db), limit: batch });
  return { done, isFull: done === batch };
}
