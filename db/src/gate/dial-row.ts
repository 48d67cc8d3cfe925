import { sql, type RawBuilder } from 'kysely';
import { consentOfDial } from '../compliance/consent-of-dial.ts';
import { isOnScrubList, scrubsOfDial } from '../compliance/scrub-of-dial.ts';
import {
  effectivePersonCaps,
  isUncalled,
  personCheck,
  personFreeAt,
  personInLedger,
  withCapsOfRules,
} from '../compliance/person-free-at.ts';
import { anyLength } from '../postgres/any-length.ts';
import type { CallerIdsOfGate } from './caller-ids-of-gate.ts';
import type { GateRow } from './gate-row.ts';
import type { GateValues } from './gate-terms.ts';
import { followsRules, windowsTable } from './open-windows.ts';
import { callsLeft } from '../organizations/quota.ts';

/** The person of a dial from `dialTables`. */
const ofPerson = personInLedger(sql`coalesce(w.person_caps, caps.caps)`);

/** By the campaign, or by the rules of the recipient's key. A closed window is refused as such. */
const needsConsent = (values: GateValues) =>
  sql`(${values.needsConsent}::boolean or w.consent_bases is not null)`;

/** The inputs of the conditions, for dials from `dialTables`. */
export function dialRow(values: GateValues, callerIds: CallerIdsOfGate): GateRow {
  const { organizationId, campaignId } = values;
  return {
    now: sql`t.now`,
    organization_id: sql`${organizationId}::uuid`,
    phone_number: sql`r.phone_number`,
    call_id: sql`x.call_id`,
    is_live: sql`r.state = 'pending'`,
    of_campaign: sql`true`,
    status: sql`c.status`,
    is_current: sql`(c.revision = ${values.revision}::int and ${followsRules})`,
    is_allowed_destination: sql`x.is_allowed`,
    withdrawn_at: sql`r.withdrawn_at`,
    attempts: sql`r.attempts`,
    round_attempts: sql`r.round_attempts`,
    last_outcome: sql`r.last_outcome`,
    is_requested_round: sql`r.round_attempts = 0 and r.requested_round = r.round`,
    max_attempts: sql`${values.maxAttempts}::int`,
    call_back_attempts: sql`${values.callBackAttempts}::int`,
    queue_again: sql`${values.queueAgain}::boolean`,
    retry_on: sql`${values.retryOn}::text[]`,
    opens_at: sql`w.opens_at`,
    closes_at: sql`w.closes_at`,
    needs_consent: needsConsent(values),
    consent_id: sql`consent.id`,
    query_days: sql`${values.queryDays}::int`,
    needs_scrub: sql`(select scrub_lists from asked) is not null`,
    scrub_valid_until: sql`scrubs.valid_until`,
    is_on_scrub_list: isOnScrubList({ ...listsOf(values), phone_number: sql`r.phone_number` }),
    person_free_at: personFreeAt({
      ...ofPerson,
      campaign_id: sql`${campaignId}::uuid`,
      is_debt_collection: sql`coalesce(${values.purpose}::text = 'debt_collection', false)`,
    }),
    hours_open_at: sql`w.hours_open_at`,
    hours_close_at: sql`w.hours_close_at`,
    needs_caller_id: callerIds.areNeeded,
    has_caller_id: callerIds.isThere,
    queue_deadline_at: sql`null::timestamptz`,
    pace_left: sql`${values.paceLeft}::int`,
    calls_left: callsLeft(sql`${organizationId}::uuid`),
    nth: sql`x.nth`,
  };
}

/**
 * `t`, `caps`, `windows`, `asked` and `scrubs`, the common table expressions of every decision. The names of lists are read from a table. As a parameter,
 * null names would make custom plans cheaper than the generic one, so that Postgres would plan every gate again.
 */
export function clockAndCaps(values: GateValues): RawBuilder<unknown> {
  const { organizationId, scrubLists, personCaps } = values;
  return sql`
    asked as materialized (select ${scrubLists}::text[] as scrub_lists),
    t as materialized (select engine_now() as now),
    caps as materialized (
      select c.caps, c.caps is not distinct from ${personCaps}::jsonb as are_current, ${checkOfUncalled(sql`c.caps`)} as check_of_uncalled
      from t cross join (select ${effectivePersonCaps(sql`${organizationId}::uuid`)} as caps) c),
    windows as materialized (
      select w.*, ${checkOfUncalled(sql`w.person_caps`)} as check_of_uncalled
      from t cross join (
        select one.*, case when one.caps is not null then ${withCapsOfRules(sql`caps.caps`, sql`one.caps`)} end as person_caps
        from ${windowsTable(values)} one cross join caps) w),
    scrubs as materialized (select * from ${scrubsOfDial(listsOf(values))} s)`;
}

function checkOfUncalled(caps: RawBuilder<unknown>): RawBuilder<unknown> {
  const nobody = { dialed_at: sql`'{}'::timestamptz[]`, conversation_at: sql`null::timestamptz` };
  return personCheck({ ...ofPerson, ...nobody, caps });
}

function listsOf({ organizationId }: Pick<GateValues, 'organizationId'>) {
  return {
    organization_id: sql`${organizationId}::uuid`,
    names: sql`(select scrub_lists from asked)::text[]`,
  };
}

/** The dials with all columns that a condition reads. */
export function dialTables(values: GateValues, callerIds: CallerIdsOfGate): RawBuilder<unknown> {
  const { organizationId, campaignId } = values;
  return sql`
      t cross join caps cross join scrubs
      cross join unnest(${anyLength(values.recipientIds, 'uuid')}, ${anyLength(values.callIds, 'uuid')},
                        ${anyLength(values.areAllowed, 'boolean')})
        with ordinality as x(recipient_id, call_id, is_allowed, nth)
      left join lateral (
        select * from campaigns where id = ${campaignId} and organization_id = ${organizationId} limit 1) c on true
      left join lateral (select * from campaign_runtime where campaign_id = c.id limit 1) rt on true
      left join lateral (
        select * from campaign_recipients
        where organization_id = ${organizationId} and campaign_id = c.id and id = x.recipient_id limit 1) r on true
      left join lateral (select * from providers where name = rt.provider limit 1) p on true
      left join lateral (
        select * from called_people p
        where caps.caps is not null and p.organization_id = ${organizationId} and p.phone_number = r.phone_number
        limit 1) person on true
      left join windows w on w.zone = r.calling_key
      left join lateral ${consentOfDial({
        organization_id: sql`${organizationId}::uuid`,
        phone_number: sql`r.phone_number`,
        now: sql`t.now`,
        is_required: needsConsent(values),
        bases: sql`${values.consentBases}::text[]`,
        bases_of_rules: sql`w.consent_bases`,
        purpose: sql`${values.purpose}::text`,
      })} consent on true${callerIds.table}`;
}

/** Whether a person has never been called, or there are no caps. */
export const isFirstCall = sql`(caps.caps is null or ${isUncalled(ofPerson)})`;

/** The ledger of a person for its receipt. For people who were never called, it is computed once per gate. */
export const checkOfDial = sql`case when ${isUncalled(ofPerson)} then coalesce(w.check_of_uncalled, caps.check_of_uncalled) else ${personCheck(ofPerson)} end`;
