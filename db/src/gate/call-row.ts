import type { CampaignPurpose, ConsentRule, RetryPolicy } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { consentOfDial } from '../compliance/consent-of-dial.ts';
import {
  effectivePersonCaps,
  ledgerOfPerson,
  personCheck,
  personFreeAt,
  personInLedger,
  withCapsOfRules,
} from '../compliance/person-free-at.ts';
import {
  isOnAnyScrubList,
  isOnScrubList,
  scrubsOfDial,
  scrubsOfPlaces,
} from '../compliance/scrub-of-dial.ts';
import { callerIdOf } from './caller-ids-of-gate.ts';
import { gateConditions, refusalOf } from './conditions.ts';
import { countedAlready, gateRow, type GateRow } from './dial-row.ts';
import { windowsTable, type OpenWindow } from './open-windows.ts';

/** What decides about calls that have a row: those of one campaign, or direct calls. */
export interface CallTerms {
  /** Those of direct calls have the zone `zoneOfDirectCalls`, and only calling hours. */
  windows: readonly OpenWindow[];
  /** Null for direct calls. */
  campaign: {
    policy: RetryPolicy;
    purpose: CampaignPurpose | null;
    consent: ConsentRule;
    scrubLists: readonly string[] | null;
  } | null;
  /** The countries and regions of the number of a direct call, whose scrub lists count; null for none. */
  places: readonly string[] | null;
  /** Those of the calls that the limits of the organization do not allow. */
  refusedNumbers: readonly string[];
}

/** Direct calls have no calling key of a recipient. */
export const zoneOfDirectCalls = 'direct';

type OfMoment = 'is_live' | 'queue_deadline_at' | 'pace_left';

export interface JudgedCalls {
  terms: CallTerms;
  /** Selects the calls `l`. */
  which: RawBuilder<unknown>;
  /** The columns that depend on why the calls are judged, and those that differ. */
  row: Pick<GateRow, OfMoment> & Partial<GateRow>;
  /** Whether each call keeps the consent that its receipt names, instead of using any that is in force. */
  keepsConsent?: boolean;
}

/** A list of common table expressions that ends with `judged`: a row for each call `l`, with its `refusal` and what its receipt needs. */
export function judgedCalls({ terms, which, row, keepsConsent = false }: JudgedCalls): RawBuilder<unknown> {
  const { campaign, places } = terms;
  const policy = campaign?.policy;
  const purpose = sql`coalesce(${campaign?.purpose ?? null}::text, l.purpose)`;
  const needsConsent = sql`(${campaign?.consent.isRequired ?? false}::boolean or w.consent_bases is not null)`;
  const ofLists = {
    organization_id: sql`l.organization_id`,
    names: sql`${campaign?.scrubLists ?? null}::text[]`,
  };
  const ofPlaces = { organization_id: sql`l.organization_id`, places };
  const person = personInLedger(withCapsOfRules(sql`o.caps`, sql`w.caps`), sql`l.gated_at`);
  const columns = gateRow({
    now: sql`t.now`,
    organization_id: sql`l.organization_id`,
    phone_number: sql`l.phone_number`,
    call_id: sql`l.id`,
    of_campaign: sql`l.campaign_id is not null`,
    status: sql`c.status`,
    is_allowed_destination: sql`l.phone_number <> all(${terms.refusedNumbers}::text[])`,
    withdrawn_at: sql`r.withdrawn_at`,
    // The attempt of the call is counted already.
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
    needs_consent: needsConsent,
    consent_id: sql`consent.id`,
    query_days:
      campaign === null ? sql`org.reassigned_query_days` : sql`${campaign.consent.queryDays ?? null}::int`,
    needs_scrub: campaign === null ? sql`scrubs.versions is not null` : sql`${ofLists.names} is not null`,
    scrub_valid_until: sql`scrubs.valid_until`,
    is_on_scrub_list:
      campaign === null
        ? isOnAnyScrubList({ ...ofPlaces, phone_number: sql`l.phone_number` })
        : isOnScrubList({ ...ofLists, phone_number: sql`l.phone_number` }),
    person_free_at: personFreeAt({
      ...person,
      campaign_id: sql`l.campaign_id`,
      is_debt_collection: sql`coalesce(${purpose} = 'debt_collection', false)`,
    }),
    hours_open_at: sql`w.hours_open_at`,
    hours_close_at: sql`w.hours_close_at`,
    // A call keeps the caller id of its first send, unless it was removed since.
    needs_caller_id: sql`l.caller_id is not null or exists (select from caller_id_uses u where u.call_id = l.id)`,
    has_caller_id: sql`own.number is not null`,
    ...countedAlready,
    ...row,
  });
  return sql`
    t as materialized (select engine_now() as now),
    g as materialized (
      select l.phase as phase_before, l.gated_at as gated_before, l.consent_id as consent_before, coalesce(own.number, l.from_phone) as from_phone,
        own.id as caller_id, o.caps, w.grounds_id, scrubs.versions as scrub_check, ${personCheck(person)} as person_check, ${columns}
      from t cross join calls l
      left join lateral (select ${effectivePersonCaps(sql`l.organization_id`)} as caps) o on true
      left join lateral ${ledgerOfPerson({
        organization_id: sql`l.organization_id`,
        phone_number: sql`l.phone_number`,
        is_asked: sql`o.caps is not null`,
      })} person on true
      left join lateral ${campaign === null ? scrubsOfPlaces(ofPlaces) : scrubsOfDial(ofLists)} scrubs on true
      left join campaigns c on c.id = l.campaign_id
      left join campaign_recipients r
        on r.organization_id = l.organization_id and r.campaign_id = l.campaign_id and r.id = l.recipient_id
      left join organizations org on org.id = l.organization_id
      left join lateral ${callerIdOf(sql`l.id`)} own on true
      left join ${windowsTable(terms.windows)} w on w.zone = coalesce(r.calling_key, ${zoneOfDirectCalls})
      left join lateral ${consentOfDial({
        organization_id: sql`l.organization_id`,
        phone_number: sql`l.phone_number`,
        now: sql`t.now`,
        is_required: keepsConsent ? sql`(l.consent_id is not null)` : needsConsent,
        bases: sql`${campaign?.consent.isRequired === true ? campaign.consent.bases : null}::text[]`,
        bases_of_rules: sql`w.consent_bases`,
        purpose,
        ...(keepsConsent && { id: sql`l.consent_id` }),
      })} consent on true
      where ${which}),
    judged as materialized (select g.*, ${refusalOf(gateConditions)} as refusal from g)`;
}
