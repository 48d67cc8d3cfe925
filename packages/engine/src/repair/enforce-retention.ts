import type { Swept } from '@outdial/core';
import { enforceRetention as enforceIn } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

const batch = 1_000;

/** Deletes data past its organization's retention in batches. */
export async function enforceRetention(deps: Pick<ControlDeps, 'db' | 'log'>): Promise<Swept> {
  const done = await enforceIn(deps.db, { limit: batch });
  if (done === null) return { done: 0, isFull: false };
  if (done.done > 0) {
    const { kind, organizationId, done: rows } = done;
    deps.log.info({ organization_id: organizationId, kind, rows }, 'data past its retention was deleted');
  }
  return { done: done.done, isFull: done.hasMore };
}
