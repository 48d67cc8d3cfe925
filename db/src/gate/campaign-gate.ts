import { sql, type RawBuilder } from 'kysely';
import { countedDials } from '../compliance/person-caps.ts';
import { usedConsents } from '../compliance/consent-of-dial.ts';
import { prepared } from '../postgres/prepared.ts';
import type { StoredPlace } from '../schema/campaigns.ts';
import { callerPlace } from '../send/caller-place.ts';
import type { Tx } from '../transaction.ts';
import { callerIdsOfDials, noCallerIds, type CallerIdsOfGate } from './caller-ids-of-gate.ts';
import { checkOfDial, dialRow, dialTables, gateRow, isFirstCall, termTables } from './dial-row.ts';
import { gateConditions, refusalOf, type GateReason, type GateRefusal } from './conditions.ts';
import { type CampaignDials, type GateAnswer, type GateValues, valuesOf } from './gate-terms.ts';

/**
 * The gate of the calls of campaigns: checks all conditions of a dial at the last moment, and inserts the calls of the recipients that pass. Returns the
 * answers by call id.
 *
 * Runs in the transaction of an advance, which holds every lock of a gate (`openAdvances`, `chooseDue`, `lockDials`). One statement decides: its snapshot
 * includes everything that was committed before these locks were granted, and it reads the clock after all of them.
 * @param campaigns if one of them needs caller ids, the only one
 */
export async function passGate(
  tx: Tx,
  campaigns: readonly CampaignDials[],
): Promise<Map<string, GateAnswer>> {
  const [first] = campaigns;
  // Two statements, so that organizations without caller ids do not pay for those of others.
  const callerIds =
    first?.terms.needsCallerId === true ? callerIdsOfDials(first.terms.organizationId) : noCallerIds;
  const { rows } = await decideStatement(valuesOf(campaigns), callerIds).execute(prepared(tx));
  return new Map(rows.map((row) => [row.call_id, toAnswer(row)]));
}

/** `person_check` is only that of a refused recipient. */
interface DecidedRow extends Omit<GateRefusal, 'reason'> {
  call_id: string;
  attempt: number;
  refusal: GateReason | null;
  phone_number: string;
  from_phone: string | null;
  provider: string;
  prompt_params: Record<string, string>;
  place: StoredPlace | null;
  closed_until: Date | null;
  failures_in_a_row: number | null;
}

function decideStatement(values: GateValues, callerIds: CallerIdsOfGate): RawBuilder<DecidedRow> {
  return sql<DecidedRow>`
    with ${termTables(values)},${callerIds.numbers}
    judged as materialized (
      select g.*, ${refusalOf(gateConditions)} as refusal from (
        select r.id as recipient_id, r.round, r.calling_key, r.prompt_params, r.place, w.grounds_id, ${checkOfDial} as person_check,
          ${isFirstCall} as is_first_call, k.campaign_id, k.caps is not null as has_caps, k.caps_are_current, k.scrub_versions as scrub_check,
          k.provider, k.closed_until, k.failures_in_a_row, k.agent_id, k.prompt_id, k.prompt_params as params_of_campaign, k.created_by,
          k.from_phone as number_of_agent, ${callerIds.number} as caller_id_number, ${callerIds.id} as caller_id, ${gateRow(dialRow(callerIds))}
        from ${dialTables(values)}
        -- Computes each column once. A common table expression would take 5 µs more per call.
        offset 0) g),
    placed as (
      insert into calls (id, organization_id, agent_id, campaign_id, recipient_id, attempt, round, round_attempt,
        provider, phase,
        phone_number, from_phone, caller_id, prompt_id, prompt_params, created_by, created_at, gated_at, check_at, line_held, consent_id,
        grounds_id, person_check, scrub_check)
      select call_id, organization_id, agent_id, campaign_id, recipient_id, attempts + 1, round, round_attempts + 1, provider, 'placing',
        phone_number, coalesce(caller_id_number, number_of_agent), caller_id, prompt_id,
        params_of_campaign || coalesce(prompt_params, '{}'), created_by, now,
        now, now + ${values.lookUpGraceMs} * interval '1 millisecond', true, consent_id,
        grounds_id,
        -- For a first call, the check follows from the caps in the grounds. This saves 150 bytes in each version of the row.
        case when is_first_call and caps_are_current then null else coalesce(person_check, '{}') end, scrub_check
      from judged where refusal is null
      -- In a fixed order, to avoid deadlocks with gates of other campaigns that have the same numbers.
      order by phone_number
      on conflict do nothing
      returning id, organization_id, campaign_id, recipient_id, prompt_params, from_phone, gated_at, consent_id, caller_id),
    marked as (
      update campaign_recipients r
      set state = 'dialing', call_id = placed.id, attempts = r.attempts + 1, round_attempts = r.round_attempts + 1,
          first_attempt_at = coalesce(r.first_attempt_at, placed.gated_at), next_attempt_at = null
      from placed
      where r.organization_id = placed.organization_id and r.campaign_id = placed.campaign_id and r.id = placed.recipient_id),
    ${callerIds.dialed}used as (${usedConsents(sql`(
      select consent_id, gated_at as at from placed where consent_id is not null)`)}),
    counted as (${countedDials(sql`(
      select j.organization_id, j.phone_number, j.campaign_id, placed.gated_at as at
      from placed join judged j on j.call_id = placed.id where j.has_caps)`)})
    select j.call_id, j.attempts + 1 as attempt, case when placed.id is null then coalesce(j.refusal, 'number_in_call') end as refusal,
      j.now, j.calling_key, j.person_free_at, j.grounds_id,
      case when placed.id is null then case when j.caps_are_current then j.person_check else coalesce(j.person_check, '{}') end end as person_check,
      j.phone_number, j.provider, placed.from_phone, placed.prompt_params, j.place, j.closed_until,
      j.failures_in_a_row
    from judged j left join placed on placed.id = j.call_id`;
}

function toAnswer(row: DecidedRow): GateAnswer {
  const { refusal, now } = row;
  if (refusal !== null) return { ...row, kind: 'refused', reason: refusal };
  return {
    kind: 'passed',
    attempt: row.attempt,
    pass: {
      callId: row.call_id,
      toPhone: row.phone_number,
      fromPhone: row.from_phone,
      provider: row.provider,
      promptParams: row.prompt_params,
      place: callerPlace(row.place),
      gatedAt: now,
      circuit: { now, closedUntil: row.closed_until, failuresInARow: row.failures_in_a_row ?? 0 },
    },
  };
}
