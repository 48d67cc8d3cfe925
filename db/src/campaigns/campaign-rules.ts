import type {
  CampaignPurpose,
  CampaignRules,
  CampaignStatus,
  DialingSchedule,
  Outcome,
  RetryDelays,
} from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';

export interface ScheduleRow {
  start_at: Date;
  end_at: Date | null;
  start_time: string;
  end_time: string;
  timezone: string;
  call_on_weekend: boolean;
}

export interface RulesRow extends ScheduleRow {
  status: CampaignStatus;
  queue_again: boolean;
  call_back_attempts: number;
  retry_delay_seconds: number;
  retry_delays_seconds: RetryDelays | null;
  retry_on: Outcome[];
  max_attempts_per_recipient: number | null;
  purpose: CampaignPurpose | null;
}

export type RulesOfCampaign = CampaignRules & { purpose: CampaignPurpose | null };

/** The columns of a `RulesRow`, from `campaigns c` and `campaign_configs f`. */
export const rulesColumns: RawBuilder<unknown> = sql`
  c.status, c.start_at, c.end_at, c.start_time, c.end_time, c.timezone, f.call_on_weekend, f.queue_again, f.call_back_attempts,
  f.retry_delay_seconds, f.retry_delays_seconds, f.retry_on, f.max_attempts_per_recipient, f.purpose`;

export function toSchedule(row: ScheduleRow): DialingSchedule {
  return {
    startAt: row.start_at,
    endAt: row.end_at,
    startTime: row.start_time,
    endTime: row.end_time,
    callOnWeekend: row.call_on_weekend,
    timezone: row.timezone,
  };
}

export function toRules(row: RulesRow): RulesOfCampaign {
  return {
    status: row.status,
    schedule: toSchedule(row),
    policy: {
      callBackAttempts: row.call_back_attempts,
      retryDelaySeconds: row.retry_delay_seconds,
      retryDelaysSeconds: row.retry_delays_seconds,
      retryOn: row.retry_on,
      queueAgain: row.queue_again,
      maxAttemptsPerRecipient: row.max_attempts_per_recipient,
    },
    purpose: row.purpose,
  };
}
