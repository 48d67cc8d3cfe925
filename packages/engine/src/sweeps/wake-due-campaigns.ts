import { findNextDue, inTransaction, takeDueCampaigns } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance } from '../enqueue.ts';
import { republishMs } from '../timing.ts';

const batch = 500;
const lockedElsewhereMs = 100;

export interface Woken {
  woken: number;
  /** Until the next campaign is due; null where none is planned. */
  nextInMs: number | null;
}

/** Publishes an advance for each campaign whose `wake_at` has come. Costs what is due, not what exists: one question where nothing is. */
export async function wakeDueCampaigns(deps: ControlDeps): Promise<Woken> {
  const before = await findNextDue(deps.db);
  if (before.dueAt === null || before.dueAt > before.now) return { woken: 0, nextInMs: msUntil(before) };
  const { now } = before;
  const republishAt = new Date(now.getTime() + republishMs);
  const due = await inTransaction(deps.db, (tx) => takeDueCampaigns(tx, { now, republishAt, limit: batch }));
  await enqueueAdvance(
    deps,
    due.map((campaign) => campaign.campaignId),
  );
  if (due.length === batch) return { woken: due.length, nextInMs: 0 };
  return { woken: due.length, nextInMs: msUntil(await findNextDue(deps.db)) };
}

function msUntil({ now, dueAt }: { now: Date; dueAt: Date | null }): number | null {
  if (dueAt === null) return null;
  // What is due and was not taken is being advanced by somebody this moment.
  return dueAt > now ? dueAt.getTime() - now.getTime() : lockedElsewhereMs;
}
