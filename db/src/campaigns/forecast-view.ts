import {
  ownCallsAtLeast,
  neededConsent,
  resolveKey,
  type ForecastCase,
  type ForecastGroup,
  type OutcomeRate,
  type PersonCaps,
  type SkipReason,
} from '@outdial/core';
import { sql } from 'kysely';
import { findCallerIdAllowance } from '../caller-ids/allowance.ts';
import { consentOfDial } from '../compliance/consent-of-dial.ts';
import { isNumberChecked } from '../compliance/is-number-checked.ts';
import { isSuppressed } from '../compliance/is-suppressed.ts';
import { isOnScrubList } from '../compliance/scrub-of-dial.ts';
import {
  effectivePersonCaps,
  ledgerOfPerson,
  personFreeAt,
  withCapsOfRules,
} from '../compliance/person-free-at.ts';
import type { CampaignDefinition } from './campaign-definition.ts';
import { callsOfQuota, isOfToday } from '../organizations/quota.ts';
import type { Executor } from '../transaction.ts';

export interface ForecastRecipients {
  groups: ForecastGroup[];
  /** `rules`: the names of the rules of the people's places that ask for the consent that is missing. */
  skipped: Array<{ reason: SkipReason; rules: string[]; count: number }>;
  /** Whether groups beyond the limit are missing. */
  isCut: boolean;
}

/** Instants are rounded to this, so that the number of groups does not grow with the recipients. */
const bucketMinutes = 15;

/**
 * Counts the recipients of a campaign that may still be dialed, in groups that the rules treat alike, with one scan. Recipients in a call count
 * as if the call began now.
 */
export async function groupForForecast(
  db: Executor,
  definition: CampaignDefinition,
  now: Date,
  groupsAtMost: number | null = null,
): Promise<ForecastRecipients> {
  const { id, organizationId, purpose, consent, scrubLists, policy } = definition;
  const suppressed = isSuppressed({
    organization_id: sql`${organizationId}::uuid`,
    phone_number: sql`r.phone_number`,
    now: sql`${now}::timestamptz`,
  });
  const consented = consentOfDial({
    organization_id: sql`${organizationId}::uuid`,
    phone_number: sql`r.phone_number`,
    now: sql`${now}::timestamptz`,
    is_required: sql`true`,
    bases: sql`${consent.isRequired ? consent.bases : null}::text[]`,
    bases_of_rules: sql`of_rules.consent_bases`,
    purpose: sql`${purpose}::text`,
  });
  const isListed = isOnScrubList({
    organization_id: sql`${organizationId}::uuid`,
    phone_number: sql`r.phone_number`,
    names: sql`${scrubLists}::text[]`,
  });
  const isChecked = isNumberChecked({
    organization_id: sql`${organizationId}::uuid`,
    phone_number: sql`r.phone_number`,
    now: sql`${now}::timestamptz`,
    days: sql`${consent.queryDays ?? null}::int`,
  });
  const freeAt = personFreeAt({
    caps: withCapsOfRules(sql`caps.caps`, sql`of_rules.caps`),
    dialed_at: sql`p.dialed_at`,
    campaign_ids: sql`p.campaign_ids`,
    conversation_at: sql`p.conversation_at`,
    now: sql`${now}::timestamptz`,
    campaign_id: sql`${id}::uuid`,
    is_debt_collection: sql`${purpose === 'debt_collection'}::boolean`,
    own_dial: sql`null::timestamptz`,
  });
  const ruled = definition.callingKeys.flatMap((key) => {
    const { caps } = resolveKey(key);
    const needed = neededConsent(key, definition);
    const rules = needed?.rules.map(({ name }) => name).toSorted() ?? [];
    return caps === null && needed === null ? [] : [{ key, caps, bases: needed?.bases ?? null, rules }];
  });
  const column = (values: ReadonlyArray<readonly unknown[] | null>) =>
    sql`${values.map((value) => value && JSON.stringify(value))}::jsonb[]`;
  const bucket = (at: unknown) =>
    sql`date_bin(${bucketMinutes} * interval '1 minute', ${at}, '2000-01-01Z'::timestamptz)`;
  const { rows } = await sql<{
    key: string;
    skip: SkipReason | null;
    due_at: Date | null;
    attempts: number;
    round: number;
    round_attempts: number;
    first_attempt_at: Date | null;
    count: number;
  }>`
    with caps as materialized (select ${effectivePersonCaps(sql`${organizationId}::uuid`)} as caps),
    r as (
      select r.calling_key as key,
        case when ${suppressed} then 'suppressed'
          when (${consent.isRequired}::boolean or of_rules.consent_bases is not null) and not exists ${consented} then 'no_consent'
          when ${isListed} then 'on_scrub_list'
          when ${isChecked} is not true then 'number_unchecked' end as skip,
        greatest(r.next_attempt_at, case when p.dialed_at is not null then ${freeAt} end) as due_at,
        r.attempts - (r.state = 'dialing')::int as attempts, r.round,
        r.round_attempts - (r.state = 'dialing')::int as round_attempts,
        case when ${policy.queueAgain}::boolean then r.first_attempt_at end as first_attempt_at
      from caps cross join campaign_recipients r
      left join unnest(${ruled.map(({ key }) => key)}::text[], ${column(ruled.map(({ caps }) => caps))},
        ${column(ruled.map(({ bases }) => bases))}) as of_rules(key, caps, consent_bases) on of_rules.key = r.calling_key
      left join lateral ${ledgerOfPerson({
        organization_id: sql`r.organization_id`,
        phone_number: sql`r.phone_number`,
        is_asked: sql`caps.caps is not null`,
      })} p on true
      where r.organization_id = ${organizationId} and r.campaign_id = ${id}
        and r.state in ('pending', 'dialing') and r.withdrawn_at is null)
    select key, skip, case when due_at > ${now} then ${bucket(sql`due_at`)} end as due_at, attempts, round, round_attempts,
      ${bucket(sql`first_attempt_at`)} as first_attempt_at, count(*)::int as count
    from r group by 1, 2, 3, 4, 5, 6, 7 limit ${groupsAtMost === null ? null : groupsAtMost + 1}::bigint`.execute(
    db,
  );
  const rulesOfKeys = new Map(ruled.map(({ key, rules }) => [key, rules]));
  const skipped = new Map<string, ForecastRecipients['skipped'][number]>();
  const groups: ForecastGroup[] = [];
  for (const row of rows) {
    if (row.skip !== null) {
      const rules = row.skip === 'no_consent' ? (rulesOfKeys.get(row.key) ?? []) : [];
      const of = `${row.skip} ${rules.join()}`;
      skipped.set(of, { reason: row.skip, rules, count: (skipped.get(of)?.count ?? 0) + row.count });
      continue;
    }
    groups.push({
      key: row.key,
      count: row.count,
      dueMs: Math.max(now.getTime(), row.due_at?.getTime() ?? 0),
      attempts: row.attempts,
      round: row.round,
      roundAttempts: row.round_attempts,
      firstAttemptMs: row.first_attempt_at?.getTime() ?? null,
    });
  }
  // In a fixed order, so that a seed always gives the same forecast.
  groups.sort(
    (one, other) =>
      one.dueMs - other.dueMs || (one.key < other.key ? -1 : 1) || one.attempts - other.attempts,
  );
  return {
    groups,
    skipped: [...skipped.values()].toSorted((one, other) => other.count - one.count),
    isCut: groupsAtMost !== null && rows.length > groupsAtMost,
  };
}

const daysLookedAt = 30;
const callsLookedAt = 10_000;

/** The outcomes of the organization's newest calls; null if there are too few. */
export async function findOutcomeRates(
  db: Executor,
  organizationId: string,
): Promise<{ calls: number; rates: OutcomeRate[] } | null> {
  const { rows } = await sql<OutcomeRate>`
    select outcome, count(*)::int as calls, avg(seconds)::float8 as seconds, coalesce(stddev_samp(seconds), 0)::float8 as "spreadSeconds"
    from (
      select outcome, greatest(0, extract(epoch from ended_at - gated_at)) as seconds from calls
      where organization_id = ${organizationId} and created_at > (select engine_now()) - ${daysLookedAt} * interval '1 day'
        and kind = 'phone_outbound' and phase = 'ended' and gated_at is not null and outcome is not null and outcome <> 'canceled'
      order by created_at desc limit ${callsLookedAt}) newest
    group by outcome order by outcome`.execute(db);
  const calls = rows.reduce((sum, row) => sum + row.calls, 0);
  return calls < ownCallsAtLeast ? null : { calls, rates: rows };
}

export type ForecastLimits = Pick<ForecastCase, 'lines' | 'callsPerSecond' | 'daily' | 'caps' | 'callerIds'>;

/** Assumes that lines in use by other campaigns stay in use. */
export async function findForecastLimits(
  db: Executor,
  definition: CampaignDefinition,
): Promise<ForecastLimits> {
  const { rows } = await sql<{
    lines: number;
    provider_calls_per_second: number | null;
    max_calls_per_day: number | null;
    calls_today: number;
    caps: PersonCaps | null;
    has_caller_ids: boolean;
  }>`
    select greatest(1, least(${definition.maxConcurrentCalls}::int,
        o.max_lines - (o.lines_in_use - rt.lines_in_use), p.max_lines - (p.lines_in_use - rt.lines_in_use))) as lines,
      p.calls_per_second as provider_calls_per_second, o.max_calls_per_day, o.has_caller_ids,
      case when o.max_calls_per_day is null then 0 else (
        select ${callsOfQuota}::int from calls
        where organization_id = o.id and ${isOfToday}) end as calls_today,
      ${effectivePersonCaps(sql`${definition.organizationId}::uuid`)} as caps
    from organizations o
    join campaign_runtime rt on rt.campaign_id = ${definition.id}
    left join providers p on p.name = rt.provider
    where o.id = ${definition.organizationId}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a campaign without an organization');
  const paces = [definition.callsPerSecond, row.provider_calls_per_second].filter((pace) => pace !== null);
  const perDay = row.max_calls_per_day;
  return {
    lines: row.lines,
    callsPerSecond: paces.length === 0 ? null : Math.min(...paces),
    daily:
      perDay === null ? [] : [{ limit: 'quota', perDay, leftToday: Math.max(0, perDay - row.calls_today) }],
    caps: row.caps,
    callerIds: row.has_caller_ids ? await findCallerIdAllowance(db, definition.organizationId) : null,
  };
}
