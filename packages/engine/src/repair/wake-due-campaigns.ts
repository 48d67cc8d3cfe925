import type { Swept } from '@outdial/core';
import { findNextDue, inTransaction, takeDueCampaigns } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance } from '../enqueue.ts';
import { republishMs } from '../timing.ts';

const batch = 500;
const lockedElsewhereMs = 100;

/** Publishes an advance for each campaign whose `wake_at` has come. One query if none is due. */
export async function wakeDueCampaigns(deps: ControlDeps): Promise<Swept> {
  const before = await findNextDue(deps.db);
  if (before.dueAt === null || before.dueAt > before.now) return swept(0, before);
  const { now } = before;
  const republishAt = new Date(now.getTime() + republishMs);
  const due = await inTransaction(deps.db, (tx) => takeDueCampaigns(tx, { now, republishAt, limit: batch }));
  await enqueueAdvance(
    deps,
    due.map((campaign) => campaign.campaignId),
  );
  if (due.length === batch) return { done: batch, isFull: true };
  return swept(due.length, await findNextDue(deps.db));
}

function swept(done: number, { now, dueAt }: { now: Date; dueAt: Date | null }): Swept {
  if (dueAt === null) return { done, isFull: false };
  // The row of a due campaign that was skipped is locked by an advance.
  return { done, isFull: false, nextInMs: dueAt > now ? dueAt.getTime() - now.getTime() : lockedElsewhereMs };
}
