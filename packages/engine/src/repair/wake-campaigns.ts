import type { Swept } from '@outdial/core';
import {
  bringInstantsBack as bringBack,
  engineNow,
  findNextDue,
  inTransaction,
  markBlockedCampaigns as mark,
  takeDueCampaigns,
  wakeStrandedCampaigns as wakeStranded,
} from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance } from '../enqueue.ts';
import { lookUpGraceMs, republishMs } from '../timing.ts';

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

/** Wakes running campaigns that lost a wake-up, or that wait for a line although one is free. */
export async function wakeStrandedCampaigns(deps: ControlDeps): Promise<Swept> {
  const now = await engineNow(deps.db);
  const stranded = await inTransaction(deps.db, (tx) => wakeStranded(tx, { now, limit: batch }));
  await enqueueAdvance(
    deps,
    stranded.map((campaign) => campaign.campaignId),
  );
  return { done: stranded.length, isFull: stranded.length === batch };
}

const limit = 5_000;

/** Corrects plans after the clock was set back, which would otherwise be late by that amount. */
export async function bringInstantsBack(deps: ControlDeps): Promise<Swept> {
  const now = await engineNow(deps.db);
  const { done, campaignIds } = await inTransaction(deps.db, (tx) =>
    bringBack(tx, { now, lookUpGraceMs, limit }),
  );
  await enqueueAdvance(deps, campaignIds);
  return { done, isFull: done >= limit };
}

/** Records which campaigns place no calls and since when, and writes an event for those blocked for five minutes. */
export async function markBlockedCampaigns(deps: ControlDeps): Promise<Swept> {
  const { changed, reported } = await inTransaction(deps.db, (tx) => mark(tx, { limit: batch }));
  if (reported > 0) deps.log.warn({ campaigns: reported }, 'campaigns have placed no calls for five minutes');
  return { done: changed, isFull: changed === batch };
}
