import type { Swept } from '@outdial/core';
import { inTransaction, markBlockedCampaigns as mark } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';

const batch = 500;

/** Records which campaigns place no calls and since when, and writes an event for those blocked for five minutes. */
export async function markBlockedCampaigns(deps: ControlDeps): Promise<Swept> {
  const { changed, reported } = await inTransaction(deps.db, (tx) => mark(tx, { limit: batch }));
  if (reported > 0) deps.log.warn({ campaigns: reported }, 'campaigns have placed no calls for five minutes');
  return { done: changed, isFull: changed === batch };
}
