import type { Recipient } from '@outdial/contracts';
import { type CallingKey, callingHours, nextDial } from '@outdial/core';
import type { RecipientRecord } from '@outdial/db';
import type { CampaignWaiting } from './find-waiting.ts';

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
  if (next.kind === 'never') return { nextAttemptAt, waitingFor: neverFor(recipient.calling_key, view.now) };
  return { nextAttemptAt, waitingFor: next.waitingFor ?? waitingFor };
}

/** `calling_hours` if they never allow a call, otherwise the campaign's window. */
function neverFor(key: CallingKey, now: Date): 'calling_hours' | 'window' {
  const hours = callingHours(key, now);
  return hours.kind === 'closed' && hours.opensAt === null ? 'calling_hours' : 'window';
}
