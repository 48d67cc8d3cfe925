import type { GateReason } from '@outdial/db';
import type { NeverPlaced } from '../progress/end-queued-calls.ts';

export type DirectReaction =
  | { kind: 'stale' }
  /** Asks the gate again later, until its deadline. */
  | { kind: 'wait' }
  /** Gets the caller id that it lacks. */
  | { kind: 'resolve' }
  | { kind: 'end'; reason: NeverPlaced };

const wait: DirectReaction = { kind: 'wait' };

/** What a direct call does. Conditions that do not apply to direct calls never refuse one. */
export const directReactions: Record<GateReason, DirectReaction> = {
  stale: { kind: 'stale' },
  not_running: wait,
  withdrawn: wait,
  suppressed: { kind: 'end', reason: 'suppressed' },
  no_consent: { kind: 'end', reason: 'no_consent' },
  scrub_outdated: wait,
  on_scrub_list: { kind: 'end', reason: 'on_scrub_list' },
  changed: wait,
  number_refused: { kind: 'end', reason: 'number_refused' },
  number_unchecked: wait,
  not_due: wait,
  window_closed: wait,
  calling_hours: wait,
  person_capped: wait,
  no_line_in_time: { kind: 'end', reason: 'no_line_in_time' },
  number_in_call: wait,
  quota: wait,
  calls_per_second: wait,
  no_caller_id: { kind: 'resolve' },
};
