/** Why a running campaign waits: with `blocked`, all of its calls do, perhaps until an operator acts. `docs/behaviour.md#why-a-campaign-is-not-dialing` has cause and remedy for each. */
const reasons = {
  rules: 'blocked',
  window: 'delayed',
  calling_hours: 'delayed',
  retry: 'delayed',
  person_cap: 'delayed',
  caller_id: 'blocked',
  number_query: 'blocked',
  scrub_list: 'blocked',
  campaign_line: 'delayed',
  abandonment: 'delayed',
  organization_line: 'blocked',
  provider_line: 'blocked',
  calls_per_second: 'delayed',
  provider: 'blocked',
  calls_in_progress: 'delayed',
  no_worker: 'blocked',
  no_adapter: 'blocked',
  media_runtime: 'blocked',
  voice_not_allowed: 'blocked',
  quota: 'blocked',
  error: 'blocked',
} as const;

export type WaitingReason = keyof typeof reasons;

// `Object.keys` forgets the names.
export const waitingReasons = Object.keys(reasons) as WaitingReason[];

export const blockingReasons = waitingReasons.filter((reason) => reasons[reason] === 'blocked');
