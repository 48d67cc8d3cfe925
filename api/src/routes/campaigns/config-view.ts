import type { CampaignConfig } from '@outdial/contracts';
import type { CampaignConfigRow } from '@outdial/db';

export function configView(row: CampaignConfigRow): CampaignConfig {
  return {
    id: row.id,
    created_at: row.created_at.toISOString(),
    campaign_id: row.campaign_id,
    call_on_weekend: row.call_on_weekend,
    queue_again: row.queue_again,
    call_back_attempts: row.call_back_attempts,
    retry_delay_seconds: row.retry_delay_seconds,
    retry_delays_seconds: row.retry_delays_seconds,
    retry_on: row.retry_on,
    max_concurrent_calls: row.max_concurrent_calls,
    calls_per_second: row.calls_per_second,
    max_attempts_per_recipient: row.max_attempts_per_recipient,
    priority: row.priority,
    purpose: row.purpose,
    require_consent: row.require_consent,
    consent_bases: row.consent_bases,
    scrub_lists: row.scrub_lists,
    reassigned_query_days: row.reassigned_query_days,
  };
}
