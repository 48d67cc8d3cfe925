import type { CallerIdRules, CallingPolicy } from '@outdial/core';
import { noteChange } from '../audit/audit-scope.ts';
import { setCallerIdRules } from '../caller-ids/rules.ts';
import { setPersonCaps, type PersonCapsChange } from '../compliance/person-caps.ts';
import { lockOutGates } from '../gate-locks.ts';
import type { Retention } from './find-organization.ts';
import { bumpRunningCampaigns, wakeForInstructions, wakeForQuota } from '../limits-changed.ts';
import type { Executor } from '../transaction.ts';
import { applyCallingPolicy } from './calling-policy.ts';

/** Omitted fields do not change. */
export interface OrganizationChange {
  name?: string | undefined;
  timezone?: string | undefined;
  callingPolicy?: CallingPolicy | undefined;
  defaultProvider?: string | null | undefined;
  /** The cap of concurrent calls; null for none. Lowering it ends no calls. */
  maxLines?: number | null | undefined;
  /** If two organizations compete for lines, one with twice the weight gets twice the lines. */
  lineWeight?: number | undefined;
  /** ISO 3166 alpha-2 in capitals; null allows all. */
  allowedCountries?: string[] | null | undefined;
  allowedSpecialNumbers?: string[] | undefined;
  maxCampaigns?: number | null | undefined;
  maxRecipients?: number | null | undefined;
  maxCallsPerDay?: number | null | undefined;
  maxSpendPerDay?: number | null | undefined;
  requestsPerMinute?: number | null | undefined;
  maxRecordedGigabytes?: number | null | undefined;
  maxInboundCalls?: number | null | undefined;
  maxInboundPerCallerHour?: number | null | undefined;
  maxInboundPerNumberHour?: number | null | undefined;
  /** Whether agents may bring TwiML of their own, and to which hosts they may connect answered calls. */
  ownTwiml?: boolean | undefined;
  voiceHosts?: string[] | undefined;
  /** How often one person may be called over all campaigns. */
  personCaps?: PersonCapsChange | undefined;
  /** For every call; campaigns may need more recent queries. Null needs none. */
  reassignedQueryDays?: number | null | undefined;
  callerIdRules?: Partial<CallerIdRules> | undefined;
  /** Null removes a limit. */
  retention?: { [Kind in keyof Retention]?: number | null | undefined } | undefined;
}

const changeable = [
  'name',
  'timezone',
  'calling_policy',
  'default_provider',
  'max_lines',
  'line_weight',
  'keep_transcripts_days',
  'keep_recordings_days',
  'keep_prompt_values_days',
  'keep_calls_days',
  'allowed_countries',
  'allowed_special_numbers',
  'max_campaigns',
  'max_recipients',
  'max_calls_per_day',
  'max_spend_per_day',
  'requests_per_minute',
  'max_recorded_gigabytes',
  'max_inbound_calls',
  'max_inbound_per_caller_hour',
  'max_inbound_per_number_hour',
  'own_twiml',
  'voice_hosts',
  'reassigned_query_days',
] as const;

/** False if the organization does not exist. */
export async function updateOrganization(
  db: Executor,
  organizationId: string,
  change: OrganizationChange,
  now: Date,
  /** Runs when the organization is locked, and throws to refuse the change. */
  precondition?: () => Promise<void>,
): Promise<boolean> {
  const { callingPolicy, retention } = change;
  if (callingPolicy !== undefined) await applyCallingPolicy(db, organizationId, callingPolicy);
  const { allowedCountries, allowedSpecialNumbers, reassignedQueryDays } = change;
  if ([allowedCountries, allowedSpecialNumbers, reassignedQueryDays].some((one) => one !== undefined)) {
    // Gates of direct calls lock no row that this change locks.
    await lockOutGates(db, organizationId);
    await bumpRunningCampaigns(db, organizationId);
  }
  if (change.ownTwiml !== undefined || change.voiceHosts !== undefined) {
    // Workers keep agents with their rules until the revision changes.
    await bumpRunningCampaigns(db, organizationId);
    await wakeForInstructions(db, organizationId, now);
  }
  if (change.maxCallsPerDay !== undefined || change.maxSpendPerDay !== undefined) {
    await wakeForQuota(db, organizationId, now);
  }
  const before = await db
    .selectFrom('organizations')
    .select(changeable)
    .where('id', '=', organizationId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (before !== undefined) await precondition?.();
  const after = await db
    .updateTable('organizations')
    // Kysely omits undefined fields.
    .set({
      updated_at: now,
      name: change.name,
      timezone: change.timezone,
      calling_policy: callingPolicy,
      default_provider: change.defaultProvider,
      max_lines: change.maxLines,
      line_weight: change.lineWeight,
      keep_transcripts_days: retention?.transcripts_days,
      keep_recordings_days: retention?.recordings_days,
      keep_prompt_values_days: retention?.prompt_values_days,
      keep_calls_days: retention?.calls_days,
      allowed_countries: change.allowedCountries,
      allowed_special_numbers: change.allowedSpecialNumbers,
      max_campaigns: change.maxCampaigns,
      max_recipients: change.maxRecipients,
      max_calls_per_day: change.maxCallsPerDay,
      max_spend_per_day: change.maxSpendPerDay,
      requests_per_minute: change.requestsPerMinute,
      max_recorded_gigabytes: change.maxRecordedGigabytes,
      max_inbound_calls: change.maxInboundCalls,
      max_inbound_per_caller_hour: change.maxInboundPerCallerHour,
      max_inbound_per_number_hour: change.maxInboundPerNumberHour,
      own_twiml: change.ownTwiml,
      voice_hosts: change.voiceHosts,
      reassigned_query_days: change.reassignedQueryDays,
    })
    .where('id', '=', organizationId)
    .returning(changeable)
    .executeTakeFirst();
  if (after !== undefined) {
    noteChange({ type: 'organization', id: organizationId, before: before ?? {}, after });
  }
  if (after !== undefined && change.callerIdRules) {
    await setCallerIdRules(db, organizationId, change.callerIdRules);
  }
  // Last, because gates wait from here to the commit.
  if (after !== undefined && change.personCaps) {
    await setPersonCaps(db, { organizationId, change: change.personCaps, now });
  }
  return after !== undefined;
}
