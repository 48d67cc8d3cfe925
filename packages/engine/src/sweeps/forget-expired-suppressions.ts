import type { Swept } from '@outdial/core';
import { deleteExpiredSuppressions } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

const batch = 5_000;

/** Takes numbers off the suppression list whose suppression has expired. */
export async function forgetExpiredSuppressions(deps: Pick<ControlDeps, 'db'>): Promise<Swept> {
  const done = await deleteExpiredSuppressions(deps.db, batch);
  return { done, isFull: done === batch };
}
