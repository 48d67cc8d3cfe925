import { defaultPersonCaps } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';

const capsOfPolicies = JSON.stringify(defaultPersonCaps);

/**
 * The caps per person of an organization as JSON. The caps that an operator has set override the defaults of the calling policy, and null removes
 * a default. Null without any under a policy of `none`; under another one, the rules of a place may have caps, so the ledger is kept.
 */
export function effectivePersonCaps(organizationId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select nullif(jsonb_strip_nulls(
      case o.calling_policy when 'none' then '{}' else ${sql.lit(capsOfPolicies)} end::jsonb
        || coalesce((select caps from person_caps where organization_id = o.id), '{}')),
      case o.calling_policy when 'none' then '{}'::jsonb end)
    from organizations o where o.id = ${organizationId})`;
}

/** The caps of an organization with those of the rules that apply to a person, each once. `ofRules` is null without any. */
export function withCapsOfRules(
  caps: RawBuilder<unknown>,
  ofRules: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`(case when ${ofRules} is null then ${caps} else ${caps} || jsonb_build_object('calls',
    coalesce(${caps} -> 'calls', '[]') || coalesce((
      select jsonb_agg(one.cap) from jsonb_array_elements(${ofRules}) as one(cap)
      where not coalesce(${caps} -> 'calls', '[]') @> jsonb_build_array(one.cap)), '[]')) end)`;
}

export interface PersonInLedger {
  /** `effectivePersonCaps`. */
  caps: RawBuilder<unknown>;
  /** From `ledgerOfPerson`; null if no number of the person has a row. */
  dialed_at: RawBuilder<unknown>;
  campaign_ids: RawBuilder<unknown>;
  conversation_at: RawBuilder<unknown>;
  now: RawBuilder<unknown>;
  /** The instant of this attempt if the ledger already has it; null before its first gate. */
  own_dial: RawBuilder<unknown>;
}

export interface AskedPerson extends PersonInLedger {
  /** Null for a direct call. */
  campaign_id: RawBuilder<unknown>;
  is_debt_collection: RawBuilder<unknown>;
}

/**
 * The ledger of a person: the row of a number in `called_people`, with the dials and conversations of the person's other numbers (`person_ref`). A table
 * expression, without a row if none of them has one.
 */
export function ledgerOfPerson(number: {
  organization_id: RawBuilder<unknown>;
  phone_number: RawBuilder<unknown>;
  /** Whether there are caps to count for. */
  is_asked: RawBuilder<unknown>;
}): RawBuilder<unknown> {
  const { organization_id: organizationId, phone_number: phoneNumber } = number;
  return sql`(
        select own.dialed_at || others.dialed_at as dialed_at, own.campaign_ids || others.campaign_ids as campaign_ids,
          greatest(own.conversation_at, others.conversation_at) as conversation_at
        from (select ${organizationId} as organization_id, ${phoneNumber} as phone_number where ${number.is_asked}) one
        left join called_people own on own.organization_id = one.organization_id and own.phone_number = one.phone_number
        cross join lateral (
          select array_agg(d.at) filter (where d.at is not null) as dialed_at,
            array_agg(d.by) filter (where d.at is not null) as campaign_ids, max(p.conversation_at) as conversation_at
          from ${otherNumbers(sql`one`)} o
          join called_people p on p.organization_id = o.organization_id and p.phone_number = o.phone_number
          left join lateral unnest(p.dialed_at, p.campaign_ids) as d(at, by) on true) others
        where own.phone_number is not null or others.dialed_at is not null or others.conversation_at is not null
        limit 1)`;
}

/**
 * The other numbers of the person to whom a number belongs.
 * @param one a row of (organization_id, phone_number)
 */
export function otherNumbers(one: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
            select o.organization_id, o.phone_number
            from person_numbers n join person_numbers o on o.organization_id = n.organization_id and o.person_ref = n.person_ref
            where n.organization_id = ${one}.organization_id and n.phone_number = ${one}.phone_number and o.phone_number <> n.phone_number)`;
}

/** For a gate with the clock `t` and a row `person` of `ledgerOfPerson`. */
export function personInLedger(
  caps: RawBuilder<unknown>,
  ownDial: RawBuilder<unknown> = sql`null::timestamptz`,
): PersonInLedger {
  return {
    caps,
    dialed_at: sql`person.dialed_at`,
    campaign_ids: sql`person.campaign_ids`,
    conversation_at: sql`person.conversation_at`,
    now: sql`t.now`,
    own_dial: ownDial,
  };
}

/** Most people of a list have not been called yet, so their ledger restricts nothing. */
export function isUncalled(of: Pick<AskedPerson, 'dialed_at' | 'conversation_at'>): RawBuilder<unknown> {
  return sql`${of.dialed_at} = '{}' and ${of.conversation_at} is null`;
}

/**
 * The time from which a person may be called; null for now. The rule of `core/compliance/person-caps.ts` in SQL. If caps were set between the
 * two statements of a gate, the person may have no row yet, so the gate has to retry a second later.
 */
export function personFreeAt(of: AskedPerson): RawBuilder<unknown> {
  return sql`(case when ${of.caps} is null then null
    when ${of.dialed_at} is null then ${of.now} + interval '1 second'
    when ${isUncalled(of)} then null
    else (
      select max(free.at) from (
        select (
          select d.at from unnest(${of.dialed_at}) as d(at)
          where d.at is distinct from ${of.own_dial} order by d.at desc offset cap.calls - 1 limit 1)
          + cap.hours * interval '1 hour'
        from jsonb_to_recordset(coalesce(${of.caps} -> 'calls', '[]')) as cap(calls int, hours int)
        union all
        select max(d.at) + (${of.caps} ->> 'gap_seconds')::int * interval '1 second'
        from unnest(${of.dialed_at}, ${of.campaign_ids}) as d(at, campaign)
        where d.at is distinct from ${of.own_dial}
          and (${of.campaign_id} is null or d.campaign is distinct from ${of.campaign_id})
        union all
        select ${of.conversation_at} + (${of.caps} ->> 'after_conversation_hours')::int * interval '1 hour'
        where ${of.is_debt_collection}) as free(at)) end)`;
}

/** The caps and the calls that each counts, for the receipt of a dial. Null without caps. */
export function personCheck(of: PersonInLedger): RawBuilder<unknown> {
  return sql`(case when ${of.caps} is not null then jsonb_strip_nulls((${of.caps} - 'calls') || jsonb_build_object(
    'last_call_at', (select max(d.at) from unnest(${of.dialed_at}) as d(at) where d.at is distinct from ${of.own_dial}),
    'conversation_at', ${of.conversation_at},
    'calls', (
      select jsonb_agg(jsonb_build_object('calls', cap.calls, 'hours', cap.hours, 'made', (
        select count(*) from unnest(${of.dialed_at}) as d(at)
        where d.at is distinct from ${of.own_dial} and d.at > ${of.now} - cap.hours * interval '1 hour')))
      from jsonb_to_recordset(coalesce(${of.caps} -> 'calls', '[]')) as cap(calls int, hours int)))) end)`;
}
