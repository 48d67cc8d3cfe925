import { sql, type RawBuilder } from 'kysely';
import { usedConsents } from '../compliance/consent-of-dial.ts';
import { countedDials, lockedPeople } from '../compliance/person-caps.ts';
import {
  effectivePersonCaps,
  personCheck,
  personFreeAt,
  personInLedger,
  withCapsOfRules,
} from '../compliance/person-free-at.ts';
import { isOnAnyScrubList, scrubsOfPlaces } from '../compliance/scrub-of-dial.ts';
import { dialedAt } from '../caller-ids/uses.ts';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';
import { takeProviderLines } from '../lines/capacity.ts';
import { lockLineCaps } from '../lines/line-caps.ts';
import { callerIdOf } from './caller-ids-of-gate.ts';
import { capsColumn, consentOfDirect, directTermsOf, type DirectTerms } from './direct-terms.ts';
import { gateConditions, refusalOf, type GateReason } from './conditions.ts';
import { gateRow } from './gate-row.ts';
import { sharedProviderPaces, sharedSuppressions } from '../gate-locks.ts';

/** A direct call that waits for a line. */
export interface QueuedCall {
  id: string;
  organizationId: string;
  agentId: string;
  provider: string;
  toPhone: string;
  fromPhone: string | null;
  promptText: string;
  promptParams: Record<string, string>;
  meta: Record<string, unknown>;
  /** Whether its provider has calls per second. */
  isPaced: boolean;
  now: Date;
  /** The condition that blocks the call now; null if only lines or the pace can. */
  refusal: GateReason | null;
}

/**
 * Locks a queued call and the caps of lines, and checks the conditions of the gate. `passDirectCallGate` checks them again when the call has its
 * lines. Null if the call does not exist.
 */
export async function lockQueuedCall(tx: Tx, callId: string, terms: DirectTerms): Promise<QueuedCall | null> {
  await lockLineCaps(tx);
  await deferred(
    sql`
      with wanted as materialized (select organization_id from calls where id = ${callId}),
      queued as materialized (
        select ${sharedProviderPaces}, ${sharedSuppressions(sql`organization_id`)} from wanted),
      l as materialized (
        select l.* from queued
        cross join lateral (
          select organization_id, phone_number from calls where id = ${callId} limit 1 for no key update) l),
      people as (${lockedPeople(sql`l`)})
      select count(*) from l`,
    tx,
  );
  const { rows } = await sql<{
    id: string;
    organization_id: string;
    agent_id: string;
    provider: string;
    phone_number: string;
    from_phone: string | null;
    prompt: string;
    prompt_params: Record<string, string> | null;
    meta: Record<string, unknown> | null;
    is_paced: boolean;
    now: Date;
    refusal: GateReason | null;
  }>`
    with ${judged(callId, terms, null)}
    select l.id, l.organization_id, l.agent_id, l.provider, l.phone_number, l.from_phone, l.prompt_params, l.meta,
      (select p.prompt from agent_prompts p where p.id = l.prompt_id) as prompt, judged.is_paced, judged.now, judged.refusal
    from judged join calls l on l.id = judged.call_id`.execute(tx);
  const row = rows[0];
  if (!row) return null;
  return {
    id: row.id,
    organizationId: row.organization_id,
    agentId: row.agent_id,
    provider: row.provider,
    toPhone: row.phone_number,
    fromPhone: row.from_phone,
    promptText: row.prompt,
    promptParams: row.prompt_params ?? {},
    meta: row.meta ?? {},
    isPaced: row.is_paced,
    now: row.now,
    refusal: row.refusal,
  };
}

/**
 * The gate of a direct call: marks the call as being placed and takes its lines, or returns why it is refused. The caller has locked the call, the
 * caps of lines, and the organization and the provider if they have caps.
 */
export async function passDirectCallGate(
  tx: Tx,
  args: { callId: string; terms: DirectTerms; paceLeft: number | null; lookUpGraceMs: number },
): Promise<{ gatedAt: Date; fromPhone: string | null } | { refusal: GateReason }> {
  const { rows } = await sql<{
    refusal: GateReason | null;
    now: Date;
    from_phone: string | null;
    organization_id: string;
    provider: string;
  }>`
    with ${judged(args.callId, args.terms, args.paceLeft)},
    placed as (
      update calls l
      set phase = 'placing', gated_at = j.now, line_held = true, from_phone = j.from_phone, caller_id = j.caller_id, consent_id = j.consent_id, queue_deadline_at = null,
          grounds_id = ${args.terms.groundsId}::uuid, person_check = j.person_check, scrub_check = j.scrub_check,
          check_at = j.now + ${args.lookUpGraceMs} * interval '1 millisecond'
      from judged j where l.id = j.call_id and j.refusal is null),
    used as (${usedConsents(sql`(
      select consent_id, now as at from judged where refusal is null and consent_id is not null)`)}),
    counted as (${countedDials(sql`(
      select organization_id, phone_number, null::uuid as campaign_id, now as at
      from judged where refusal is null and caps is not null)`)}),
    dialed as (
      update caller_id_uses u set ${dialedAt(sql`j.now`)}
      from judged j where j.refusal is null and j.needs_caller_id and u.call_id = j.call_id)
    select refusal, now, organization_id, provider, from_phone from judged`.execute(tx);
  const row = rows[0];
  if (!row) return { refusal: 'stale' };
  if (row.refusal !== null) return { refusal: row.refusal };
  await deferred(
    sql`update organizations set lines_in_use = lines_in_use + 1
      where id = ${row.organization_id} and max_lines is not null`,
    tx,
  );
  const { organization_id: organizationId, provider } = row;
  await deferred(takeProviderLines({ organizationId, provider, count: 1 }), tx);
  return { gatedAt: row.now, fromPhone: row.from_phone };
}

/** Checks the conditions of the gate for one call, as a list of common table expressions that ends with `judged`. */
function judged(callId: string, terms: DirectTerms, paceLeft: number | null): RawBuilder<unknown> {
  const direct = directTermsOf(terms);
  const ofLists = { organization_id: sql`l.organization_id`, places: terms.places };
  const person = personInLedger(withCapsOfRules(sql`o.caps`, capsColumn(terms.caps)));
  const row = gateRow({
    now: sql`t.now`,
    organization_id: sql`l.organization_id`,
    phone_number: sql`l.phone_number`,
    call_id: sql`l.id`,
    is_live: sql`l.phase = 'queued'`,
    of_campaign: sql`false`,
    status: sql`null::text`,
    is_current: direct.isCurrent,
    is_allowed_destination: sql`${terms.isAllowedDestination}::boolean`,
    withdrawn_at: sql`null::timestamptz`,
    attempts: sql`null::int`,
    round_attempts: sql`null::int`,
    last_outcome: sql`null::text`,
    is_requested_round: sql`null::boolean`,
    max_attempts: sql`null::int`,
    call_back_attempts: sql`null::int`,
    queue_again: sql`null::boolean`,
    retry_on: sql`null::text[]`,
    opens_at: sql`null::timestamptz`,
    closes_at: sql`null::timestamptz`,
    needs_consent: sql`${terms.consent !== null}::boolean`,
    consent_id: sql`consent.id`,
    query_days: sql`org.reassigned_query_days`,
    needs_scrub: sql`scrubs.versions is not null`,
    scrub_valid_until: sql`scrubs.valid_until`,
    is_on_scrub_list: isOnAnyScrubList({ ...ofLists, phone_number: sql`l.phone_number` }),
    person_free_at: personFreeAt({
      ...person,
      campaign_id: sql`null::uuid`,
      is_debt_collection: sql`coalesce(l.purpose = 'debt_collection', false)`,
    }),
    hours_open_at: direct.hoursOpenAt,
    hours_close_at: direct.hoursCloseAt,
    needs_caller_id: sql`org.has_caller_ids`,
    has_caller_id: sql`own.number is not null`,
    queue_deadline_at: sql`l.queue_deadline_at`,
    pace_left: sql`${paceLeft}::int`,
    calls_left: sql`null::int`,
    nth: sql`1`,
    nth_of_organization: sql`1`,
  });
  return sql`
    t as materialized (select engine_now() as now),
    g as materialized (
      select l.provider, o.caps, p.calls_per_second is not null as is_paced, coalesce(own.number, l.from_phone) as from_phone, own.id as caller_id, ${row},
        ${personCheck(person)} as person_check, scrubs.versions as scrub_check
      from t cross join calls l
      cross join lateral (select ${effectivePersonCaps(sql`l.organization_id`)} as caps) o
      left join called_people person
        on o.caps is not null and person.organization_id = l.organization_id and person.phone_number = l.phone_number
      cross join lateral ${scrubsOfPlaces(ofLists)} scrubs
      left join lateral ${consentOfDirect(terms)} consent on true
      left join providers p on p.name = l.provider
      left join organizations org on org.id = l.organization_id
      left join lateral ${callerIdOf(sql`l.id`)} own on org.has_caller_ids
      where l.id = ${callId}),
    judged as materialized (select g.*, ${refusalOf(gateConditions)} as refusal from g)`;
}
