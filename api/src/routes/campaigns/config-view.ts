import type { EffectiveConfig } from '@outdial/contracts';
import type { EffectiveConfigRow } from '@outdial/db';

/** The config that a campaign has, or the defaults that hold without one, as the interface shows it. */
export function configView(row: EffectiveConfigRow): EffectiveConfig {
  return {
    id: row.id,
    created_at: row.created_at?.toISOString() ?? null,
    campaign_id: row.campaign_id,
    call_on_weekend: row.call_on_weekend,
    queue_again: row.queue_again,
    call_back_attempts: row.call_back_attempts,
    retry_delay_seconds: row.retry_delay_seconds,
    retry_on: row.retry_on,
    max_concurrent_calls: row.max_concurrent_calls,
    calls_per_second: row.calls_per_second,
    max_attempts_per_recipient: row.max_attempts_per_recipient,
    priority: row.priority,
  };
}
