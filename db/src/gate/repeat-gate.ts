import { paceAllowance, type CampaignPurpose, type ConsentRule, type RetryPolicy } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { lockedPeople } from '../compliance/person-caps.ts';
import { consentOfDial, usedConsents } from '../compliance/consent-of-dial.ts';
import {
  isOnAnyScrubList,
  isOnScrubList,
  scrubsOfDial,
  scrubsOfPlaces,
} from '../compliance/scrub-of-dial.ts';
import {
  effectivePersonCaps,
  personCheck,
  personFreeAt,
  personInLedger,
  type PersonInLedger,
  withCapsOfRules,
} from '../compliance/person-free-at.ts';
import { deferred } from '../postgres/deferred.ts';
import { inTransaction, type Db } from '../transaction.ts';
import { sharedCampaign } from '../campaigns/campaign-locks.ts';
import { gateConditions, refusalOf, type GateReason, type GateRefusal } from './conditions.ts';
import { lanesOf, lockPace, savePace } from '../lines/pace.ts';
import { gateRow, type GateRow } from './gate-row.ts';
import { callerIdOf } from './caller-ids-of-gate.ts';
import { capsColumn, directTermsOf, type DirectTerms } from './direct-terms.ts';
import { endsIfIdle, sharedProviderPaces, sharedSuppressions } from '../gate-locks.ts';
import { followsRules, windowsTable, type OpenWindow } from './open-windows.ts';

export interface CampaignOfCall {
  revision: number;
  windows: readonly OpenWindow[];
  policy: RetryPolicy;
  purpose: CampaignPurpose | null;
  consent: ConsentRule;
  scrubLists: readonly string[] | null;
}

/** What decides about a call that has its row. */
export type CallTerms =
  | { campaign: CampaignOfCall; direct: null }
  | {
      campaign: null;
      direct: Pick<DirectTerms, 'settings' | 'hours' | 'caps' | 'consent' | 'rulesVersion' | 'places'>;
    };

interface CampaignOfRepeat extends CampaignOfCall {
  /** As for the first placement (`GateDial`). */
  isAllowedDestination: boolean;
}

export type RepeatTerms = {
  callId: string;
  /** The instant of the last gate. If the row has another one, another worker has sent the call again. */
  gatedAt: Date;
  campaignId: string | null;
  provider: string;
  lookUpGraceMs: number;
} & ({ campaign: CampaignOfRepeat; direct: null } | { campaign: null; direct: DirectTerms });

export type RepeatAnswer =
  | { kind: 'passed'; gatedAt: Date }
  /** `waitUntil`: when the calls per second may have room, if they have none now. */
  | ({ kind: 'refused'; waitUntil: Date | null } & GateRefusal);

/**
 * The gate of a repeated send, with the same row, attempt and conditions as the first one. The attempt is already counted, so the earlier attempts
 * are one less, and the lines are already taken.
 */
export async function passRepeatGate(db: Db, terms: RepeatTerms): Promise<RepeatAnswer> {
  return inTransaction(db, async (tx) => {
    await deferred(lockStatement(terms.callId), tx);
    const paced = await lockPace(tx, terms);
    const lanes = lanesOf(paced);
    const allowed = paceAllowance({ now: paced.now, want: 1, lanes });
    const { rows } = await decideStatement(terms, lanes.length === 0 ? null : allowed.take).execute(tx);
    const [row] = rows;
    if (!row) throw new Error('the gate returned no row');
    const { refusal, now, calling_key: callingKey, person_free_at: personFreeAt } = row;
    if (refusal !== null) {
      const { waitUntil } = allowed;
      return { kind: 'refused', reason: refusal, now, callingKey, personFreeAt, waitUntil };
    }
    await savePace(tx, terms, paced, { at: now, count: 1 });
    return { kind: 'passed', gatedAt: now };
  });
}

function lockStatement(callId: string): RawBuilder<unknown> {
  return sql`
    with wanted as materialized (select organization_id, campaign_id from calls where id = ${callId}),
    queued as materialized (
      -- A direct call has no campaign. With null, the function does nothing.
      select campaign_id, ${sharedProviderPaces}, ${sharedCampaign(sql`organization_id`, sql`campaign_id`)},
        ${sharedSuppressions(sql`organization_id`)}, ${endsIfIdle} from wanted),
    c as materialized (
      select queued.campaign_id from queued
      left join lateral (select id from campaigns where id = queued.campaign_id limit 1 for share) c on true),
    l as materialized (
      select l.* from c cross join lateral (
        select organization_id, phone_number from calls where id = ${callId} limit 1 for no key update) l),
    people as (${lockedPeople(sql`l`)})
    select count(*) from l`;
}

const listsOf = (campaign: CallTerms['campaign']) => ({
  organization_id: sql`l.organization_id`,
  names: sql`${campaign?.scrubLists ?? null}::text[]`,
});

/** The person of a call from `callTables`. */
function personOf({ direct }: CallTerms): PersonInLedger {
  const ofRules = direct === null ? sql`w.caps` : capsColumn(direct.caps);
  return personInLedger(withCapsOfRules(sql`o.caps`, ofRules), sql`l.gated_at`);
}

/** The bases of consents that the rules of a call from `callTables` accept; null for no such rule. */
function basesOfRules({ direct }: CallTerms): RawBuilder<unknown> {
  if (direct === null) return sql`w.consent_bases`;
  return sql`${direct.consent && JSON.stringify(direct.consent.bases)}::jsonb`;
}

function needsConsent(terms: CallTerms): RawBuilder<unknown> {
  return sql`(${terms.campaign?.consent.isRequired ?? false}::boolean or ${basesOfRules(terms)} is not null)`;
}

type OfMoment = 'is_live' | 'is_allowed_destination' | 'queue_deadline_at' | 'pace_left';

/** The inputs of the conditions, for a call from `callTables`. The caller adds those of its own moment. */
export function callRow(terms: CallTerms): Omit<GateRow, OfMoment> {
  const { campaign, direct } = terms;
  const policy = campaign?.policy;
  const lists = listsOf(campaign);
  const { isCurrent, hoursOpenAt, hoursCloseAt } =
    direct === null
      ? {
          isCurrent: sql`(c.revision = ${campaign.revision}::int and ${followsRules})`,
          hoursOpenAt: sql`w.hours_open_at`,
          hoursCloseAt: sql`w.hours_close_at`,
        }
      : directTermsOf(direct);
  return {
    now: sql`t.now`,
    organization_id: sql`l.organization_id`,
    phone_number: sql`l.phone_number`,
    call_id: sql`l.id`,
    of_campaign: sql`l.campaign_id is not null`,
    status: sql`c.status`,
    is_current: isCurrent,
    withdrawn_at: sql`r.withdrawn_at`,
    attempts: sql`r.attempts - 1`,
    round_attempts: sql`r.round_attempts - 1`,
    last_outcome: sql`r.last_outcome`,
    is_requested_round: sql`r.round_attempts = 1 and r.requested_round = r.round`,
    max_attempts: sql`${policy?.maxAttemptsPerRecipient ?? null}::int`,
    call_back_attempts: sql`${policy?.callBackAttempts ?? null}::int`,
    queue_again: sql`${policy?.queueAgain ?? null}::boolean`,
    retry_on: sql`${policy?.retryOn ?? null}::text[]`,
    opens_at: sql`w.opens_at`,
    closes_at: sql`w.closes_at`,
    needs_consent: needsConsent(terms),
    consent_id: sql`consent.id`,
    query_days:
      direct === null ? sql`${campaign.consent.queryDays ?? null}::int` : sql`org.reassigned_query_days`,
    needs_scrub: direct === null ? sql`${lists.names} is not null` : sql`scrubs.versions is not null`,
    scrub_valid_until: sql`scrubs.valid_until`,
    is_on_scrub_list:
      direct === null
        ? isOnScrubList({ ...lists, phone_number: sql`l.phone_number` })
        : isOnAnyScrubList({ ...lists, places: direct.places, phone_number: sql`l.phone_number` }),
    person_free_at: personFreeAt({
      ...personOf(terms),
      campaign_id: sql`l.campaign_id`,
      is_debt_collection: sql`coalesce(coalesce(${campaign?.purpose ?? null}::text, l.purpose) = 'debt_collection', false)`,
    }),
    hours_open_at: hoursOpenAt,
    hours_close_at: hoursCloseAt,
    // The call keeps the caller id of its first send, unless it was removed since.
    needs_caller_id: sql`l.caller_id is not null or exists (select from caller_id_uses u where u.call_id = l.id)`,
    has_caller_id: sql`own.number is not null`,
    calls_left: sql`null::int`,
    nth: sql`1`,
    nth_of_organization: sql`1`,
  };
}

/**
 * Calls `l` with all columns that a condition reads, joined to `t`.
 * @param of.which selects the calls `l`
 * @param of.consentId the only consent that counts; any valid one by default
 */
export function callTables(
  terms: CallTerms,
  of: { which: RawBuilder<unknown>; consentId?: RawBuilder<unknown> },
): RawBuilder<unknown> {
  const { campaign, direct } = terms;
  return sql`
      t
      left join calls l on ${of.which}
      left join lateral (select ${effectivePersonCaps(sql`l.organization_id`)} as caps) o on true
      left join called_people person
        on o.caps is not null and person.organization_id = l.organization_id and person.phone_number = l.phone_number
      left join lateral ${
        direct === null
          ? scrubsOfDial(listsOf(campaign))
          : scrubsOfPlaces({ organization_id: sql`l.organization_id`, places: direct.places })
      } scrubs on true
      left join campaigns c on c.id = l.campaign_id
      left join campaign_recipients r
        on r.organization_id = l.organization_id and r.campaign_id = l.campaign_id and r.id = l.recipient_id
      left join organizations org on org.id = l.organization_id
      left join lateral ${callerIdOf(sql`l.id`)} own on true
      left join ${windowsTable(campaign?.windows ?? [])} w on w.zone = r.calling_key
      left join lateral ${consentOfDial({
        organization_id: sql`l.organization_id`,
        phone_number: sql`l.phone_number`,
        now: sql`t.now`,
        is_required: of.consentId ? sql`(${of.consentId} is not null)` : needsConsent(terms),
        bases: sql`${campaign?.consent.isRequired === true ? campaign.consent.bases : null}::text[]`,
        bases_of_rules: basesOfRules(terms),
        purpose: sql`coalesce(${campaign?.purpose ?? null}::text, l.purpose)`,
        ...(of.consentId && { id: of.consentId }),
      })} consent on true`;
}

function decideStatement(
  terms: RepeatTerms,
  paceLeft: number | null,
): RawBuilder<{
  refusal: GateReason | null;
  now: Date;
  calling_key: string | null;
  person_free_at: Date | null;
}> {
  const { callId, gatedAt, campaign, direct, lookUpGraceMs } = terms;
  const { isAllowedDestination } = direct === null ? campaign : direct;
  const row = gateRow({
    ...callRow(terms),
    is_live: sql`l.phase = 'placing' and l.accepted_at is null and l.hangup_requested_at is null
      and l.gated_at = ${gatedAt}::timestamptz`,
    is_allowed_destination: sql`${isAllowedDestination}::boolean`,
    queue_deadline_at: sql`null::timestamptz`,
    pace_left: sql`${paceLeft}::int`,
  });
  return sql`
    with t as materialized (select engine_now() as now),
    g as materialized (
      select r.calling_key, l.consent_id as consent_before, case when l.campaign_id is null then ${direct?.groundsId ?? null}::uuid else w.grounds_id end as grounds_id,
        ${row}, scrubs.versions as scrub_check,
        ${personCheck(personOf(terms))} as person_check
      from ${callTables(terms, { which: sql`l.id = ${callId}` })}),
    judged as materialized (select g.*, ${refusalOf(gateConditions)} as refusal from g),
    placed as (
      update calls l
      set gated_at = j.now, consent_id = j.consent_id, grounds_id = j.grounds_id, person_check = coalesce(j.person_check, '{}'), scrub_check = j.scrub_check,
          check_at = j.now + ${lookUpGraceMs} * interval '1 millisecond',
          events = l.events || jsonb_build_array(jsonb_build_object('type', 'placed_again', 'at', to_char(
            j.now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
      from judged j where l.id = j.call_id and j.refusal is null),
    -- An attempt uses a consent once, however often it is sent.
    used as (${usedConsents(sql`(
      select consent_id, now as at from judged
      where refusal is null and consent_id is not null and consent_id is distinct from consent_before)`)}),
    -- The ledger identifies the attempt by its gate.
    counted as (
      update called_people p set dialed_at = array_replace(p.dialed_at, ${gatedAt}::timestamptz, j.now)
      from judged j
      where j.refusal is null and p.organization_id = j.organization_id and p.phone_number = j.phone_number
        and ${gatedAt}::timestamptz = any(p.dialed_at))
    select refusal, now, calling_key, person_free_at from judged`;
}
