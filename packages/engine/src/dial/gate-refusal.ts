import { dialingWindow, policyOfKey } from '@outdial/core';
import {
  isStillDue,
  type AfterRefusal,
  type CampaignDefinition,
  type DueReason,
  type GateReason,
  type GateRefusal,
} from '@outdial/db';
import { callerIdRetryMs, numberBusyRetryMs, numberQueryRetryMs } from '../timing.ts';

type Reaction = (refusal: GateRefusal, definition: CampaignDefinition) => AfterRefusal | 'replan';

const neverDialed: Reaction = () => ({ state: 'suppressed' });

function whenItOpens(
  { now, calling_key: timezone }: GateRefusal,
  { schedule }: CampaignDefinition,
): AfterRefusal {
  const window = dialingWindow(schedule, timezone ?? schedule.timezone, now);
  // The window may have opened since it was read.
  return { state: 'pending', at: window.kind === 'closed' ? window.opensAt : now };
}

/** A sweep recomputes outdated calling keys every second. */
const rekeyedInMs = 2_000;

/** What becomes of a recipient that does not stay due; `replan`: the rules of the campaign decide again. No reason burns an attempt. */
const reactions: Record<Exclude<GateReason, DueReason>, Reaction> = {
  suppressed: neverDialed,
  no_consent: () => ({ state: 'suppressed', reason: 'no_consent' }),
  on_scrub_list: () => ({ state: 'suppressed', reason: 'on_scrub_list' }),
  number_refused: neverDialed,
  number_unchecked: ({ now }) => ({
    state: 'pending',
    at: new Date(now.getTime() + numberQueryRetryMs),
    deferredFor: 'number_query',
  }),
  not_due: () => 'replan',
  window_closed: whenItOpens,
  calling_hours(refusal, definition) {
    const { now, calling_key: timezone } = refusal;
    if (timezone !== null && policyOfKey(timezone) !== definition.callingPolicy) {
      return { state: 'pending', at: new Date(now.getTime() + rekeyedInMs) };
    }
    return whenItOpens(refusal, definition);
  },
  person_capped: ({ now, person_free_at: freeAt }) => ({
    state: 'pending',
    at: freeAt ?? now,
    deferredFor: 'person_cap',
  }),
  // No caller id fits the country, or the person's caller id rests. The campaign checks the pool before it dials again.
  no_caller_id: ({ now }) => ({
    state: 'pending',
    at: new Date(now.getTime() + callerIdRetryMs),
    deferredFor: 'caller_id',
  }),
  number_in_call: ({ now }) => ({ state: 'pending', at: new Date(now.getTime() + numberBusyRetryMs) }),
};

export function decideAfterRefusal(
  refusal: GateRefusal,
  definition: CampaignDefinition,
): AfterRefusal | 'replan' {
  const { reason, now } = refusal;
  return isStillDue(reason) ? { state: 'pending', at: now } : reactions[reason](refusal, definition);
}
