import { dialingWindow, policyOfKey, slotHorizonMs, type Deferral } from '@outdial/core';
import type { CampaignDefinition, GateReason, GateRefusal } from '@outdial/db';
import type { NeverPlaced } from '../progress/end-queued-calls.ts';
import { callerIdRetryMs, numberBusyRetryMs } from '../timing.ts';

/** The state of a recipient after its claim is released. */
export type AfterRelease =
  | { state: 'pending'; at: Date; deferredFor?: Deferral }
  | { state: 'suppressed'; reason?: 'no_consent' | 'on_scrub_list' };

export type AfterRefusal = { reason: string } & (
  | { kind: 'return'; to: AfterRelease }
  /** Another claim has replaced this one. */
  | { kind: 'stale' }
  /** The recipient is no longer due. */
  | { kind: 'replan' }
  /** The campaign has changed since it was read. */
  | { kind: 'reload' }
  | { kind: 'wait'; waitMs: number }
  /** The claim has no slot of time, or its slot has passed. */
  | { kind: 'new_slot' }
);

type Reaction = (refusal: GateRefusal, definition: CampaignDefinition) => AfterRefusal;

const dueNow: Reaction = ({ reason, now }) => ({ kind: 'return', reason, to: { state: 'pending', at: now } });

const neverDialed: Reaction = ({ reason }) => ({ kind: 'return', reason, to: { state: 'suppressed' } });

function whenItOpens({ reason, now, timezone }: GateRefusal, { schedule }: CampaignDefinition): AfterRefusal {
  const window = dialingWindow(schedule, timezone ?? schedule.timezone, now);
  // The window has opened since the campaign was read.
  if (window.kind === 'open') return { kind: 'reload', reason: 'changed' };
  return {
    kind: 'return',
    reason,
    to: { state: 'pending', at: window.kind === 'closed' ? window.opensAt : now },
  };
}

/** A sweep recomputes outdated calling keys every second. */
const rekeyedInMs = 2_000;

/** What becomes of a claim. No reason burns an attempt. */
const reactions: Record<GateReason, Reaction> = {
  stale: ({ reason }) => ({ kind: 'stale', reason }),
  not_running: dueNow,
  // The recipient becomes withdrawn when its claim is released.
  withdrawn: dueNow,
  suppressed: neverDialed,
  no_consent: ({ reason }) => ({ kind: 'return', reason, to: { state: 'suppressed', reason: 'no_consent' } }),
  // The next advance waits for a new list.
  scrub_outdated: dueNow,
  on_scrub_list: ({ reason }) => ({
    kind: 'return',
    reason,
    to: { state: 'suppressed', reason: 'on_scrub_list' },
  }),
  changed: ({ reason }) => ({ kind: 'reload', reason }),
  number_refused: neverDialed,
  not_due: ({ reason }) => ({ kind: 'replan', reason }),
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
  // No caller id fits the country, or the person's caller id rests. The campaign checks the pool before it claims again.
  no_caller_id: ({ reason, now }) => ({
    kind: 'return',
    reason,
    to: { state: 'pending', at: new Date(now.getTime() + callerIdRetryMs), deferredFor: 'caller_id' },
  }),
  lease_expired: dueNow,
  // Only a direct call has such a deadline.
  no_line_in_time: dueNow,
  // The next advance waits for the quota.
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

export function decideAfterRefusal(refusal: GateRefusal, definition: CampaignDefinition): AfterRefusal {
  return reactions[refusal.reason](refusal, definition);
}

export type DirectReaction =
  | { kind: 'stale' }
  /** Asks the gate again later, until its deadline. */
  | { kind: 'wait' }
  /** Gets what it lacks: its slot or a caller id. */
  | { kind: 'resolve' }
  | { kind: 'end'; reason: NeverPlaced };

const wait: DirectReaction = { kind: 'wait' };
const resolve: DirectReaction = { kind: 'resolve' };

/** What a direct call does. Conditions that do not apply to direct calls never refuse one. */
export const directReactions: Record<GateReason, DirectReaction> = {
  stale: { kind: 'stale' },
  not_running: wait,
  withdrawn: wait,
  suppressed: { kind: 'end', reason: 'suppressed' },
  no_consent: wait,
  scrub_outdated: wait,
  on_scrub_list: wait,
  changed: wait,
  number_refused: { kind: 'end', reason: 'number_refused' },
  not_due: wait,
  window_closed: wait,
  calling_hours: wait,
  person_capped: wait,
  lease_expired: wait,
  no_line_in_time: { kind: 'end', reason: 'no_line_in_time' },
  number_in_call: wait,
  quota: wait,
  no_slot: resolve,
  slot_to_come: resolve,
  slot_missed: resolve,
  no_caller_id: resolve,
};
