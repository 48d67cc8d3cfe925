/** Why a running campaign waits. `docs/behaviour.md#why-a-campaign-is-not-dialing` has cause and remedy for each. */
export const waitingReasons = [
  'rules',
  'window',
  'calling_hours',
  'retry',
  'person_cap',
  'caller_id',
  'scrub_list',
  'campaign_line',
  'abandonment',
  'organization_line',
  'provider_line',
  'calls_per_second',
  'provider',
  'calls_in_progress',
  'no_worker',
  'no_adapter',
  'media_runtime',
  'voice_not_allowed',
  'quota',
  'error',
] as const;

export type WaitingReason = (typeof waitingReasons)[number];
