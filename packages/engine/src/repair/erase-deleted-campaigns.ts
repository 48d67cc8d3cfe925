import type { Swept } from '@outdial/core';
import { eraseDeletedCampaign } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

const batch = 5_000;

/** Erases recipients of deleted campaigns that no call refers to, in batches of one campaign. */
export async function eraseDeletedCampaigns(deps: ControlDeps): Promise<Swept> {
  const erased = await eraseDeletedCampaign(deps.db, batch);
  return { done: erased ?? 0, isFull: erased !== null };
}
