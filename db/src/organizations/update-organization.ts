import type { CallerIdRules, PersonCaps } from '@outdial/core';
import { sql, type Updateable } from 'kysely';
import { noteChange } from '../audit/audit-scope.ts';
import { setCallerIdRules } from '../caller-ids/rules.ts';
import { setPersonCaps } from '../compliance/person-caps.ts';
import { lockOutGates } from '../gate-locks.ts';
import { settingColumns, type Retention, applyCallingPolicy } from './organizations.ts';
import { bumpRunningCampaigns, endDeferrals, wakeForInstructions, wakeForQuota } from '../limits-changed.ts';
import type { OrganizationTable } from '../schema/organizations.ts';
import type { Executor } from '../transaction.ts';
import { aloneWithQuota } from './quota.ts';

/** The others are the operator's. */
const changeable = [...settingColumns, 'default_provider', 'line_weight', 'allowed_special_numbers'] as const;

type Columns = Pick<Updateable<OrganizationTable>, Exclude<(typeof changeable)[number], `keep_${string}`>>;

/** Omitted fields do not change; null removes a limit. A lower `max_lines` ends no calls. */
export type OrganizationChange = { [Column in keyof Columns]?: Columns[Column] | undefined } & {
  /** How often one person may be called over all campaigns. */
  person_caps?: PersonCaps | undefined;
  caller_id_rules?: Partial<CallerIdRules> | undefined;
  retention?: { [Kind in keyof Retention]?: number | null | undefined } | undefined;
};

export async function updateOrganization(
  db: Executor,
  organizationId: string,
  change: OrganizationChange,
  now: Date,
  /** Runs when the organization is locked, and throws to refuse the change. */
  precondition?: () => Promise<void>,
): Promise<boolean> {
  const { retention, person_caps: caps, caller_id_rules: rules, ...columns } = change;
  if (columns.calling_policy) await applyCallingPolicy(db, organizationId, columns.calling_policy);
  const { allowed_countries, allowed_special_numbers, reassigned_query_days } = change;
  const isNamed = (one: unknown) => one !== undefined;
  if ([allowed_countries, allowed_special_numbers, reassigned_query_days, caps].some(isNamed)) {
    // Gates of direct calls lock no row that this change locks.
    await lockOutGates(db, organizationId);
    await bumpRunningCampaigns(db, organizationId);
  }
  if (change.own_twiml !== undefined || change.voice_hosts !== undefined) {
    // Workers keep agents with their rules until the revision changes.
    await bumpRunningCampaigns(db, organizationId);
    await wakeForInstructions(db, organizationId, now);
  }
  if ([columns.calling_policy, reassigned_query_days, caps].some(isNamed)) {
    await endDeferrals(db, { organizationId });
  }
  if (change.max_calls_per_day !== undefined || change.max_spend_per_day !== undefined) {
    // Waits for advances that read the quota of before, and would plan to wait for the next day.
    await sql`select ${aloneWithQuota(sql`${organizationId}::uuid`)}`.execute(db);
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
      ...columns,
      keep_transcripts_days: retention?.transcripts_days,
      keep_recordings_days: retention?.recordings_days,
      keep_prompt_values_days: retention?.prompt_values_days,
      keep_calls_days: retention?.calls_days,
      updated_at: now,
    })
    .where('id', '=', organizationId)
    .returning(changeable)
    .executeTakeFirst();
  if (after !== undefined) {
    noteChange({ type: 'organization', id: organizationId, before: before ?? {}, after });
  }
  if (after !== undefined && rules) await setCallerIdRules(db, organizationId, rules);
  if (after !== undefined && caps) await setPersonCaps(db, { organizationId, change: caps, now });
  return after !== undefined;
}
