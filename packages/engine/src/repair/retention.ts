import type { Swept } from '@outdial/core';
import { enforceRetention as enforceIn, eraseDeletedCampaign } from '@outdial/db';
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

const recipientsErased = 5_000;

/** Erases recipients of deleted campaigns that no call refers to, in batches of one campaign. */
export async function eraseDeletedCampaigns(deps: ControlDeps): Promise<Swept> {
  const erased = await eraseDeletedCampaign(deps.db, recipientsErased);
  return { done: erased ?? 0, isFull: erased !== null };
}
