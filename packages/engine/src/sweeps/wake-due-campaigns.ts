import { engineNow, findNextDue, inTransaction, takeDueCampaigns } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { hintAdvance } from '../hints.ts';
import { republishMs } from '../timing.ts';

const batch = 500;
const heldElsewhereMs = 100;

export interface Woken {
  woken: number;
  /** Until the next campaign is due; null where none is planned. */
  nextInMs: number | null;
}

/** Publishes an advance for each campaign whose `wake_at` has come. Costs what is due, not what exists. */
export async function wakeDueCampaigns(deps: ControlDeps): Promise<Woken> {
  const now = await engineNow(deps.db);
  const republishAt = new Date(now.getTime() + republishMs);
  const due = await inTransaction(deps.db, (tx) => takeDueCampaigns(tx, { now, republishAt, limit: batch }));
  await hintAdvance(
    deps,
    due.map((campaign) => campaign.campaignId),
  );
  if (due.length === batch) return { woken: due.length, nextInMs: 0 };
  const next = await findNextDue(deps.db);
  if (next.dueAt === null) return { woken: due.length, nextInMs: null };
  // What is due and was not taken is being advanced by somebody this moment.
  const nextInMs = next.dueAt > next.now ? next.dueAt.getTime() - next.now.getTime() : heldElsewhereMs;
  return { woken: due.length, nextInMs };
}
