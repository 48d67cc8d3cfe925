import type { Organization } from '@outdial/contracts';
import type { OrganizationDetails } from '@outdial/db';

export function organizationView(row: OrganizationDetails): Organization {
  return {
    id: row.id,
    name: row.name,
    timezone: row.timezone,
    calling_policy: row.calling_policy,
    limits: {
      max_lines: row.max_lines,
      max_campaigns: row.max_campaigns,
      max_recipients: row.max_recipients,
      max_calls_per_day: row.max_calls_per_day,
      max_spend_per_day: row.max_spend_per_day,
      requests_per_minute: row.requests_per_minute,
      max_recorded_gigabytes: row.max_recorded_gigabytes,
      max_inbound_calls: row.max_inbound_calls,
      max_inbound_per_caller_hour: row.max_inbound_per_caller_hour,
      max_inbound_per_number_hour: row.max_inbound_per_number_hour,
      own_twiml: row.own_twiml,
      voice_hosts: row.voice_hosts,
    },
    allowed_countries: row.allowed_countries,
    person_caps: {
      calls: row.person_caps.calls.map(({ calls, hours }) => ({ calls, hours })),
      gap_seconds: row.person_caps.gapSeconds,
      after_conversation_hours: row.person_caps.afterConversationHours,
    },
    reassigned_query_days: row.reassigned_query_days,
    retention: row.retention,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
