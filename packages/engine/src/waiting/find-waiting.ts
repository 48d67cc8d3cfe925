import {
  findLineHolders,
  findWaitingViews,
  type Executor,
  type WaitingView,
  type RecipientRecord,
} from '@outdial/db';
import { explainWaiting, needsLineHolders, type Waiting } from './explain-waiting.ts';
import type { Recipient } from '@outdial/contracts';
import { nextDial } from '@outdial/core';

const holdersAtMost = 5;

export interface CampaignWaiting extends Waiting {
  view: WaitingView;
}

/** Why each campaign does not dial now, by id. Omits unknown ids. */
export async function findWaiting(
  db: Executor,
  args: { organizationId: string; campaignIds: readonly string[] },
): Promise<Map<string, CampaignWaiting>> {
  const views = await findWaitingViews(db, args);
  const found = new Map<string, CampaignWaiting>();
  for (const view of views) {
    const holders = needsLineHolders(view)
      ? await findLineHolders(db, {
          organizationId: args.organizationId,
          provider: view.waiting_for === 'provider_line' ? view.provider : null,
          limit: holdersAtMost,
        })
      : [];
    found.set(view.definition.id, { view, ...explainWaiting(view, holders) });
  }
  return found;
}

export interface RecipientWaiting {
  /** The earliest instant of the next call; null if there is none. */
  nextAttemptAt: Date | null;
  waitingFor: Recipient['waiting_for'];
}

/** A recipient waits for its own delay or window, or else for the same as its campaign. */
export function recipientWaiting(
  recipient: RecipientRecord,
  { view, waitingFor }: CampaignWaiting,
): RecipientWaiting {
  const { calling_key: zone, due_at: dueAt, deferred_for: deferredFor } = recipient;
  if (dueAt === null) return { nextAttemptAt: null, waitingFor: null };
  const { schedule, status } = view.definition;
  const next = nextDial(schedule, [{ zone, dueAt, deferredFor }], view.now);
  const nextAttemptAt = next.kind === 'at' ? next.at : null;
  if (status !== 'running') return { nextAttemptAt, waitingFor: 'campaign_not_running' };
  return { nextAttemptAt, waitingFor: next.waitingFor ?? waitingFor };
}
