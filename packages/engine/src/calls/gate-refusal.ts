import { dialingWindow, policyOfKey, slotHorizonMs, type Deferral } from '@outdial/core';
import type { CampaignDefinition, GateReason, GateRefusal } from '@outdial/db';
import { callerIdRetryMs, numberBusyRetryMs } from '../timing.ts';

/** Where the recipient of a claim goes when the claim is released. */
export type ClaimGoesTo =
  | { state: 'pending'; at: Date; deferredFor?: Deferral }
  | { state: 'suppressed'; reason?: 'no_consent' | 'on_scrub_list' };

export type AfterRefusal = { reason: string } & (
  | { kind: 'return'; to: ClaimGoesTo }
  /** The claim is not the live one, so there is nothing to do. */
  | { kind: 'stale' }
  /** The recipient gets no attempt now. The retry rule decides what happens instead. */
  | { kind: 'decide_retry' }
  /** The campaign has changed since it was read. */
  | { kind: 'reload' }
  | { kind: 'wait'; waitMs: number }
  /** The claim has no slot of time, or its slot has passed. */
  | { kind: 'new_slot' }
);

type Reaction = (refusal: GateRefusal, definition: CampaignDefinition) => AfterRefusal;

const dueNow: Reaction = ({ reason, now }) => ({ kind: 'return', reason, to: { state: 'pending', at: now } });

function whenItOpens({ reason, now, timezone }: GateRefusal, { schedule }: CampaignDefinition): AfterRefusal {
  const window = dialingWindow(schedule, timezone ?? schedule.timezone, now);
  // The window opened after the windows were computed.
  if (window.kind === 'open') return { kind: 'reload', reason: 'changed' };
  return {
    kind: 'return',
    reason,
    to: { state: 'pending', at: window.kind === 'closed' ? window.opensAt : now },
  };
}

/** A sweep recomputes outdated calling keys every second. */
const rekeyedInMs = 2_000;

/** The reaction to each reason. "Not now" is not a failure: no reason burns an attempt. */
const reactions: Record<GateReason, Reaction> = {
  stale: ({ reason }) => ({ kind: 'stale', reason }),
  not_running: dueNow,
  // The recipient becomes withdrawn when its claim is released.
  withdrawn: dueNow,
  suppressed: ({ reason }) => ({ kind: 'return', reason, to: { state: 'suppressed' } }),
  no_consent: ({ reason }) => ({ kind: 'return', reason, to: { state: 'suppressed', reason: 'no_consent' } }),
  // The advance that follows finds the list too old, and waits.
  scrub_outdated: dueNow,
  on_scrub_list: ({ reason }) => ({
    kind: 'return',
    reason,
    to: { state: 'suppressed', reason: 'on_scrub_list' },
  }),
  changed: ({ reason }) => ({ kind: 'reload', reason }),
  not_due: ({ reason }) => ({ kind: 'decide_retry', reason }),
  window_closed: whenItOpens,
  calling_hours(refusal, definition) {
    const { reason, now, timezone } = refusal;
    if (timezone !== null && policyOfKey(timezone) !== definition.callingPolicy) {
      return { kind: 'return', reason, to: { state: 'pending', at: new Date(now.getTime() + rekeyedInMs) } };
    }
    return whenItOpens(refusal, definition);
  },
  person_capped: ({ reason, now, personFreeAt }) => ({
    kind: 'return',
    reason,
    to: { state: 'pending', at: personFreeAt ?? now, deferredFor: 'person_cap' },
  }),
  // No caller id fits its country, or its own one rests: the campaign checks whether the pool has one before it claims again.
  no_caller_id: ({ reason, now }) => ({
    kind: 'return',
    reason,
    to: { state: 'pending', at: new Date(now.getTime() + callerIdRetryMs), deferredFor: 'caller_id' },
  }),
  lease_expired: dueNow,
  // Only a direct call has such a deadline.
  no_line_in_time: dueNow,
  // The next advance finds the quota used up, and waits.
  quota: dueNow,
  no_slot: ({ reason }) => ({ kind: 'new_slot', reason }),
  slot_to_come({ reason, now, slotAt }) {
    const earlyMs = (slotAt?.getTime() ?? 0) - now.getTime();
    if (earlyMs > 2 * slotHorizonMs) return { kind: 'new_slot', reason: 'slot_too_far' };
    // A timer may fire a millisecond early.
    return { kind: 'wait', reason, waitMs: Math.max(0, earlyMs) + 1 };
  },
  slot_missed: ({ reason }) => ({ kind: 'new_slot', reason }),
  number_in_call: ({ reason, now }) => ({
    kind: 'return',
    reason,
    to: { state: 'pending', at: new Date(now.getTime() + numberBusyRetryMs) },
  }),
};

/** Decides what to do with a claim whose gate stayed shut. */
export function decideAfterRefusal(refusal: GateRefusal, definition: CampaignDefinition): AfterRefusal {
  return reactions[refusal.reason](refusal, definition);
}
