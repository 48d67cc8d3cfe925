import { sql, type RawBuilder } from 'kysely';
import { consentOfDial } from '../compliance/consent-of-dial.ts';
import { isOnScrubList, scrubsOfDial } from '../compliance/scrub-of-dial.ts';
import {
  effectivePersonCaps,
  isUncalled,
  ledgerOfPerson,
  personCheck,
  personFreeAt,
  personInLedger,
  withCapsOfRules,
} from '../compliance/person-free-at.ts';
import { anyLength } from '../postgres/any-length.ts';
import type { CallerIdsOfGate } from './caller-ids-of-gate.ts';
import { termColumns, type GateValues } from './gate-terms.ts';
import { windowsTable } from './open-windows.ts';
import { callsLeft } from '../organizations/quota.ts';

/** The person of a dial from `dialTables`. */
const ofPerson = { ...personInLedger(sql`coalesce(w.person_caps, k.caps)`), now: sql`k.now` };

/** By the campaign, or by the rules of the recipient's key. A closed window is refused as such. */
const needsConsent = sql`(k.is_consent_required or w.consent_bases is not null)`;

const lists = { organization_id: sql`k.organization_id`, names: sql`k.scrub_lists` };

/**
 * The input of the conditions, under the alias `g`: one row for each dial from `dialTables`. Every gate provides all columns. They are null if they do not
 * apply: a direct call has no recipient.
 */
export function dialRow(callerIds: CallerIdsOfGate) {
  return {
    /** Read after every lock of the gate. */
    now: sql`k.now`,
    organization_id: sql`k.organization_id`,
    phone_number: sql`r.phone_number`,
    /** The id of the call, which has no row yet if the dial is the first one. */
    call_id: sql`x.call_id`,
    /** Whether this recipient, queued call or send still waits for its gate. */
    is_live: sql`r.state = 'pending'`,
    /** False for a direct call, which has no status, window or policy. */
    of_campaign: sql`true`,
    status: sql`k.status`,
    /** By the limits of the organization. */
    is_allowed_destination: sql`x.is_allowed`,
    withdrawn_at: sql`r.withdrawn_at`,
    attempts: sql`r.attempts`,
    round_attempts: sql`r.round_attempts`,
    last_outcome: sql`r.last_outcome`,
    is_requested_round: sql`r.round_attempts = 0 and r.requested_round = r.round`,
    max_attempts: sql`k.max_attempts`,
    call_back_attempts: sql`k.call_back_attempts`,
    queue_again: sql`k.queue_again`,
    retry_on: sql`k.retry_on`,
    opens_at: sql`w.opens_at`,
    closes_at: sql`w.closes_at`,
    needs_consent: needsConsent,
    consent_id: sql`consent.id`,
    /** Within how many days a query must have said that the number was not given up; null for none. */
    query_days: sql`k.query_days`,
    /** Whether the campaign requires scrub lists, until when all of them are valid, and whether the number is on one. */
    needs_scrub: sql`k.scrub_lists is not null`,
    scrub_valid_until: sql`k.scrub_valid_until`,
    is_on_scrub_list: isOnScrubList({ ...lists, phone_number: sql`r.phone_number` }),
    /** When the caps per person allow a call; null for now. */
    person_free_at: personFreeAt({
      ...ofPerson,
      campaign_id: sql`k.campaign_id`,
      is_debt_collection: sql`coalesce(k.purpose = 'debt_collection', false)`,
    }),
    /** The open calling hours under the organization's current policy; null if they are closed. */
    hours_open_at: sql`w.hours_open_at`,
    hours_close_at: sql`w.hours_close_at`,
    /** Whether the organization has caller ids, and whether that of this dial is usable. */
    needs_caller_id: callerIds.areNeeded,
    has_caller_id: callerIds.isThere,
    queue_deadline_at: sql`null::timestamptz`,
    /** How many gates the calls per second leave now; null without a pace. */
    pace_left: sql`k.pace_left`,
    /** Calls left in the quota of the day; null without a quota. */
    calls_left: sql`k.calls_left`,
    /** The position among the calls of this gate, from 1: of its campaign, and of its organization. */
    nth: sql`x.nth`,
    nth_of_organization: sql`x.nth_of_organization`,
  };
}

export type GateRow = { [Column in keyof ReturnType<typeof dialRow>]: RawBuilder<unknown> };

/** The columns of limits that a call with a row counts in already. */
export const countedAlready = { calls_left: sql`null::int`, nth: sql`1`, nth_of_organization: sql`1` };

/** The columns of `g`, for a gate's own select. */
export function gateRow(row: GateRow): RawBuilder<unknown> {
  return sql.join(Object.entries(row).map(([name, value]) => sql`${value} as ${sql.ref(name)}`));
}

/** What the dials of a campaign share, as common table expressions: `campaigns_of_gate`, and `windows` by campaign and zone. */
export function termTables({ terms, windows }: GateValues): RawBuilder<unknown> {
  return sql`
    t as materialized (select engine_now() as now),
    asked as materialized (select * from jsonb_to_recordset(${terms}::jsonb) as x(${termColumns})),
    organizations_of_gate as materialized (
      select wanted.id, c.caps, ${callsLeft(sql`wanted.id`)} as calls_left, ${checkOfUncalled(sql`c.caps`)} as check_of_uncalled
      from t cross join (select distinct organization_id as id from asked) wanted
      cross join lateral (select ${effectivePersonCaps(sql`wanted.id`)} as caps) c),
    campaigns_of_gate as materialized (
      select k.*, t.now, o.caps, o.check_of_uncalled, o.calls_left, o.caps is not distinct from k.person_caps as caps_are_current,
        scrubs.valid_until as scrub_valid_until, scrubs.versions as scrub_versions, c.id as found_id, c.status,
        rt.provider, p.closed_until, p.failures_in_a_row
      from t cross join asked k join organizations_of_gate o on o.id = k.organization_id
      cross join lateral ${scrubsOfDial({ organization_id: sql`k.organization_id`, names: sql`k.scrub_lists` })} scrubs
      left join lateral (
        select id, status from campaigns where id = k.campaign_id and organization_id = k.organization_id limit 1) c on true
      left join lateral (select provider from campaign_runtime where campaign_id = c.id limit 1) rt on true
      left join lateral (select closed_until, failures_in_a_row from providers where name = rt.provider limit 1) p on true),
    windows as materialized (
      select w.*, ${checkOfUncalled(sql`w.person_caps`)} as check_of_uncalled
      from t cross join (
        select one.*, case when one.caps is not null then ${withCapsOfRules(sql`k.caps`, sql`one.caps`)} end as person_caps
        from ${windowsTable(windows)} one join campaigns_of_gate k on k.campaign_id = one.campaign_id) w)`;
}

function checkOfUncalled(caps: RawBuilder<unknown>): RawBuilder<unknown> {
  const nobody = { dialed_at: sql`'{}'::timestamptz[]`, conversation_at: sql`null::timestamptz` };
  return personCheck({ ...ofPerson, ...nobody, now: sql`t.now`, caps });
}

/** The dials `x` with all columns that a condition reads; `k` is the campaign of each. */
export function dialTables(values: GateValues): RawBuilder<unknown> {
  return sql`
      unnest(${anyLength(values.campaignIds, 'uuid')}, ${anyLength(values.recipientIds, 'uuid')}, ${anyLength(values.callIds, 'uuid')},
             ${anyLength(values.areAllowed, 'boolean')}, ${anyLength(values.nths, 'int')}, ${anyLength(values.nthsOfOrganization, 'int')},
             ${anyLength(values.callerIds, 'uuid')})
        as x(campaign_id, recipient_id, call_id, is_allowed, nth, nth_of_organization, caller_id)
      join campaigns_of_gate k on k.campaign_id = x.campaign_id
      left join lateral (
        select * from campaign_recipients
        where organization_id = k.organization_id and campaign_id = k.found_id and id = x.recipient_id limit 1) r on true
      left join lateral ${ledgerOfPerson({
        organization_id: sql`k.organization_id`,
        phone_number: sql`r.phone_number`,
        is_asked: sql`k.caps is not null`,
      })} person on true
      left join windows w on w.campaign_id = x.campaign_id and w.zone = r.calling_key
      left join lateral ${consentOfDial({
        organization_id: sql`k.organization_id`,
        phone_number: sql`r.phone_number`,
        now: sql`k.now`,
        is_required: needsConsent,
        bases: sql`k.consent_bases`,
        bases_of_rules: sql`w.consent_bases`,
        purpose: sql`k.purpose`,
      })} consent on true`;
}

/** Whether a person has never been called, or there are no caps. */
export const isFirstCall = sql`(k.caps is null or ${isUncalled(ofPerson)})`;

/** The ledger of a person for its receipt. For people who were never called, it is computed once per gate. */
export const checkOfDial = sql`case when ${isUncalled(ofPerson)} then coalesce(w.check_of_uncalled, k.check_of_uncalled) else ${personCheck(ofPerson)} end`;
