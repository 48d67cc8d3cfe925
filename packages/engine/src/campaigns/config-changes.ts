import type { CampaignConfigBody } from '@outdial/contracts';
import type { CampaignConfigChanges } from '@outdial/db';

/** Null removes a limit; for other fields it changes nothing. */
export function configChanges(body: CampaignConfigBody): CampaignConfigChanges {
  return {
    callOnWeekend: body.call_on_weekend ?? undefined,
    queueAgain: body.queue_again ?? undefined,
    callBackAttempts: body.call_back_attempts ?? undefined,
    retryDelaySeconds: body.retry_delay_seconds ?? undefined,
    retryDelaysSeconds: body.retry_delays_seconds,
    retryOn: body.retry_on ?? undefined,
    maxConcurrentCalls: body.max_concurrent_calls ?? undefined,
    callsPerSecond: body.calls_per_second,
    maxAttemptsPerRecipient: body.max_attempts_per_recipient,
    priority: body.priority ?? undefined,
    purpose: body.purpose,
    requireConsent: body.require_consent ?? undefined,
    consentBases: body.consent_bases,
    scrubLists: body.scrub_lists,
    reassignedQueryDays: body.reassigned_query_days,
  };
}
