import { dialingWindow, policyOfKey } from '@outdial/core';
import type { AfterRefusal, CampaignDefinition, GateReason, GateRefusal } from '@outdial/db';
import { callerIdRetryMs, numberBusyRetryMs, numberQueryRetryMs } from '../timing.ts';

type Reaction = (refusal: GateRefusal, definition: CampaignDefinition) => AfterRefusal | 'replan';

const dueNow: Reaction = ({ now }) => ({ state: 'pending', at: now });

const neverDialed: Reaction = () => ({ state: 'suppressed' });

function whenItOpens(
  { now, callingKey: timezone }: GateRefusal,
  { schedule }: CampaignDefinition,
): AfterRefusal {
  const window = dialingWindow(schedule, timezone ?? schedule.timezone, now);
  // The window may have opened since it was read.
  return { state: 'pending', at: window.kind === 'closed' ? window.opensAt : now };
}

/** A sweep recomputes outdated calling keys every second. */
const rekeyedInMs = 2_000;

/** What becomes of a recipient; `replan`: the rules of the campaign decide again. No reason burns an attempt. */
const reactions: Record<GateReason, Reaction> = {
  stale: dueNow,
  not_running: dueNow,
  withdrawn: dueNow,
  suppressed: neverDialed,
  no_consent: () => ({ state: 'suppressed', reason: 'no_consent' }),
  // The next advance waits for a new list.
  scrub_outdated: dueNow,
  on_scrub_list: () => ({ state: 'suppressed', reason: 'on_scrub_list' }),
  changed: dueNow,
  number_refused: neverDialed,
  number_unchecked: ({ now }) => ({ state: 'pending', at: new Date(now.getTime() + numberQueryRetryMs) }),
  not_due: () => 'replan',
  window_closed: whenItOpens,
  calling_hours(refusal, definition) {
    const { now, callingKey: timezone } = refusal;
    if (timezone !== null && policyOfKey(timezone) !== definition.callingPolicy) {
      return { state: 'pending', at: new Date(now.getTime() + rekeyedInMs) };
    }
    return whenItOpens(refusal, definition);
  },
  person_capped: ({ now, personFreeAt }) => ({
    state: 'pending',
    at: personFreeAt ?? now,
    deferredFor: 'person_cap',
  }),
  // No caller id fits the country, or the person's caller id rests. The campaign checks the pool before it dials again.
  no_caller_id: ({ now }) => ({
    state: 'pending',
    at: new Date(now.getTime() + callerIdRetryMs),
    deferredFor: 'caller_id',
  }),
  // Only a direct call has such a deadline.
  no_line_in_time: dueNow,
  // The next advance waits for the quota, or for the pace.
  quota: dueNow,
  calls_per_second: dueNow,
  number_in_call: ({ now }) => ({ state: 'pending', at: new Date(now.getTime() + numberBusyRetryMs) }),
};

/** What becomes of a recipient of a campaign that the gate refused. */
export function decideAfterRefusal(
  refusal: GateRefusal,
  definition: CampaignDefinition,
): AfterRefusal | 'replan' {
  return reactions[refusal.reason](refusal, definition);
}
