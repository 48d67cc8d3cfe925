import type {
  CampaignPurpose,
  CallingPolicy,
  CampaignStatus,
  ConsentBasis,
  ConsentRule,
  DialingSchedule,
  Outcome,
  RetryDelays,
  RetryPolicy,
} from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { effectivePersonCaps } from '../compliance/person-free-at.ts';
import type { PersonCapsJson } from '../schema/compliance.ts';
import type { Executor } from '../transaction.ts';

/** What gates, claims and retries need to know about a campaign, as of one revision. */
export interface CampaignDefinition {
  id: string;
  organizationId: string;
  agentId: string;
  status: CampaignStatus;
  revision: number;
  schedule: DialingSchedule;
  /** The current policy of its organization. */
  callingPolicy: CallingPolicy;
  policy: RetryPolicy;
  maxConcurrentCalls: number;
  callsPerSecond: number | null;
  priority: number;
  purpose: CampaignPurpose | null;
  consent: ConsentRule;
  /** The names of the scrub lists that it requires; null for none. */
  scrubLists: string[] | null;
  /** The organization's caps per person when this was read; null if it has none. The gate uses the current ones. */
  personCaps: PersonCapsJson | null;
  /** The calling keys of its recipients. */
  zones: string[];
  promptParams: Record<string, string>;
  startedBy: string | null;
  /** Whether a caller has ever set the config. */
  hasOwnConfig: boolean;
  endedAt: Date | null;
}

export interface CampaignDefinitionRow {
  id: string;
  organization_id: string;
  agent_id: string;
  status: CampaignStatus;
  revision: number;
  start_at: Date;
  end_at: Date | null;
  start_time: string;
  end_time: string;
  timezone: string;
  zones: string[];
  calling_policy: CallingPolicy;
  prompt_params: Record<string, string>;
  started_by: string | null;
  ended_at: Date | null;
  call_on_weekend: boolean;
  queue_again: boolean;
  call_back_attempts: number;
  retry_delay_seconds: number;
  retry_delays_seconds: RetryDelays | null;
  retry_on: Outcome[];
  max_concurrent_calls: number;
  calls_per_second: number | null;
  max_attempts_per_recipient: number | null;
  priority: number;
  purpose: CampaignPurpose | null;
  require_consent: boolean;
  consent_bases: ConsentBasis[] | null;
  scrub_lists: string[] | null;
  person_caps: PersonCapsJson | null;
  has_own_config: boolean;
}

/** The columns of a definition, from `definitionTables`. */
export const definitionColumns: RawBuilder<unknown> = sql`
  c.id, c.organization_id, c.agent_id, c.status, c.revision, c.start_at, c.end_at, c.start_time, c.end_time,
  c.timezone, c.zones, c.calling_policy, c.prompt_params, c.started_by, c.ended_at,
  f.call_on_weekend, f.queue_again, f.call_back_attempts, f.retry_delay_seconds, f.retry_delays_seconds, f.retry_on, f.max_concurrent_calls,
  f.calls_per_second, f.max_attempts_per_recipient, f.priority, f.purpose, f.require_consent, f.consent_bases, f.scrub_lists,
  ${effectivePersonCaps(sql`c.organization_id`)} as person_caps, f.updated_at > f.created_at as has_own_config`;

export const definitionTables: RawBuilder<unknown> = sql`
  campaigns c join campaign_configs f on f.organization_id = c.organization_id and f.campaign_id = c.id`;

export function toDefinition(row: CampaignDefinitionRow): CampaignDefinition {
  return {
    id: row.id,
    organizationId: row.organization_id,
    agentId: row.agent_id,
    status: row.status,
    revision: row.revision,
    schedule: {
      startAt: row.start_at,
      endAt: row.end_at,
      startTime: row.start_time,
      endTime: row.end_time,
      callOnWeekend: row.call_on_weekend,
      timezone: row.timezone,
    },
    callingPolicy: row.calling_policy,
    policy: {
      callBackAttempts: row.call_back_attempts,
      retryDelaySeconds: row.retry_delay_seconds,
      retryDelaysSeconds: row.retry_delays_seconds,
      retryOn: row.retry_on,
      queueAgain: row.queue_again,
      maxAttemptsPerRecipient: row.max_attempts_per_recipient,
    },
    maxConcurrentCalls: row.max_concurrent_calls,
    callsPerSecond: row.calls_per_second,
    priority: row.priority,
    purpose: row.purpose,
    consent: { isRequired: row.require_consent, bases: row.consent_bases },
    scrubLists: row.scrub_lists,
    personCaps: row.person_caps,
    zones: row.zones,
    promptParams: row.prompt_params,
    startedBy: row.started_by,
    hasOwnConfig: row.has_own_config,
    endedAt: row.ended_at,
  };
}

/** Null if the campaign does not exist. Does not check the organization, so it is only for ids from the engine's own rows. */
export async function loadCampaignDefinition(
  db: Executor,
  campaignId: string,
): Promise<CampaignDefinition | null> {
  const { rows } = await sql<CampaignDefinitionRow>`
    select ${definitionColumns} from ${definitionTables} where c.id = ${campaignId}`.execute(db);
  return rows[0] ? toDefinition(rows[0]) : null;
}
