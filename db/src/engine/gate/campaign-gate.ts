import type { CampaignPurpose, ConsentRule, RetryPolicy } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { countedDials, heldPeople } from '../../compliance/called-people.ts';
import { consentOfDial, usedConsents } from '../../compliance/consent-of-dial.ts';
import { effectivePersonCaps, personCheck, personFreeAt } from '../../compliance/person-free-at.ts';
import { anyLength } from '../../postgres/any-length.ts';
import { compiledOnce } from '../../postgres/compiled-once.ts';
import type { Later } from '../../postgres/deferred.ts';
import { inTransaction, type Db, type Tx } from '../../transaction.ts';
import { sharedCampaign } from '../campaign-locks.ts';
import type { ProviderCircuit } from '../provider-state.ts';
import type { PersonCheckJson } from '../../schema/compliance.ts';
import { callerIdsOfClaims, noCallerIds, type CallerIdsOfGate } from './caller-ids-of-gate.ts';
import {
  gateConditions,
  type GateRow,
  gateRow,
  refusalOf,
  type GateReason,
  type GateRefusal,
} from './conditions.ts';
import { sharedProviderPaces, sharedSuppressions } from './locks.ts';
import { aloneWithQuota, callsLeft } from './quota.ts';
import { windowColumns, windowsTable, type OpenWindow } from './open-windows.ts';

/** What the claims of one campaign that come to the gate together have in common. */
export interface GateTerms {
  organizationId: string;
  campaignId: string;
  /** The revision that the rest was read at: a gate decided under an older one does not open. */
  revision: number;
  windows: readonly OpenWindow[];
  policy: RetryPolicy;
  purpose: CampaignPurpose | null;
  consent: ConsentRule;
  /** Whether the campaign has calls per second; its provider may have them too. */
  isPaced: boolean;
  agentId: string;
  promptId: string;
  promptParams: Record<string, string>;
  /** The agent's; that of a claim is its caller id where the organization has some. */
  fromPhone: string | null;
  needsCallerId: boolean;
  createdBy: string;
  /** How long after the gate a call whose fate is unknown is looked up. */
  lookUpGraceMs: number;
}

export interface GateClaim {
  recipientId: string;
  claimId: string;
  /** From 1. */
  attempt: number;
}

export interface GatePass {
  callId: string;
  toPhone: string;
  fromPhone: string | null;
  provider: string;
  promptParams: Record<string, string>;
  gatedAt: Date;
  /** How the provider stood at the gate; null where it was not read. */
  circuit: ProviderCircuit | null;
}

export type GateAnswer = { kind: 'passed'; pass: GatePass } | ({ kind: 'refused' } & GateRefusal);

/**
 * The gate of a campaign's calls: checks at the last moment what must hold for a dial, and writes the attempts. Answers for each claim
 * by its id; no claim may come twice.
 *
 * One statement takes the locks: the campaign is held in share mode, so a pause, a cancel or an update waits for gates that are
 * open and shuts those that come after it. A second one decides. It reads what was committed before it began, and not what was
 * there when the first began to wait; its instant is taken after every lock. Both go to Postgres in one packet with their transaction's
 * begin and commit.
 * A call gets the id of its claim, which makes a second passage of one claim impossible.
 */
export async function passGate(
  db: Db,
  terms: GateTerms,
  claims: readonly GateClaim[],
): Promise<Map<string, GateAnswer>> {
  const { decided } = await inTransaction(db, async (tx) => {
    const answered = await runGate(tx, terms, claims);
    return { decided: answered.rows };
  });
  const rows = await decided;
  return new Map(rows.map((row) => [row.claim_id, toAnswer(row)]));
}

/** What the gate runs, in a transaction of the caller's; public for the warm-up. */
export async function runGate(
  tx: Tx,
  terms: GateTerms,
  claims: readonly GateClaim[],
): Promise<Later<DecidedRow>> {
  const values = valuesOf(terms, claims);
  await lock(values, tx);
  return terms.needsCallerId ? decideWithCallerIds(values, tx) : decide(values, tx);
}

/** The values of both statements, by the names under which they are compiled. */
export function valuesOf(terms: GateTerms, claims: readonly GateClaim[]) {
  const { policy, windows } = terms;
  return {
    organizationId: terms.organizationId,
    campaignId: terms.campaignId,
    recipientIds: claims.map((claim) => claim.recipientId),
    claimIds: claims.map((claim) => claim.claimId),
    attempts: claims.map((claim) => claim.attempt),
    revision: terms.revision,
    ...windowColumns(windows),
    maxAttempts: policy.maxAttemptsPerRecipient,
    callBackAttempts: policy.callBackAttempts,
    queueAgain: policy.queueAgain,
    retryOn: policy.retryOn,
    purpose: terms.purpose,
    needsConsent: terms.consent.isRequired,
    consentBases: terms.consent.bases,
    isPaced: terms.isPaced,
    agentId: terms.agentId,
    promptId: terms.promptId,
    promptParams: JSON.stringify(terms.promptParams),
    fromPhone: terms.fromPhone,
    createdBy: terms.createdBy,
    lookUpGraceMs: terms.lookUpGraceMs,
  };
}

export type GateValues = ReturnType<typeof valuesOf>;

const names = [
  'organizationId',
  'campaignId',
  'recipientIds',
  'claimIds',
  'attempts',
  'revision',
  'zones',
  'opensAts',
  'closesAts',
  'hoursOpenAts',
  'hoursCloseAts',
  'groundsIds',
  'maxAttempts',
  'callBackAttempts',
  'queueAgain',
  'retryOn',
  'purpose',
  'needsConsent',
  'consentBases',
  'isPaced',
  'agentId',
  'promptId',
  'promptParams',
  'fromPhone',
  'createdBy',
  'lookUpGraceMs',
] as const satisfies ReadonlyArray<keyof GateValues>;

const lock = compiledOnce(names, lockStatement);
/** Two statements: who has no caller ids pays nothing for those of others. */
const decide = compiledOnce(names, (values: GateValues) => decideStatement(values, noCallerIds));
const decideWithCallerIds = compiledOnce(names, (values: GateValues) =>
  decideStatement(values, callerIdsOfClaims),
);

function lockStatement({ organizationId, campaignId, recipientIds }: GateValues): RawBuilder<unknown> {
  const organization = sql`${organizationId}::uuid`;
  return sql`
    with queued as materialized (
      select ${sharedProviderPaces}, ${sharedCampaign(organization, sql`${campaignId}::uuid`)},
        ${sharedSuppressions(organization)}, ${aloneWithQuota(organization)}),
    c as materialized (
      select campaigns.id from queued cross join campaigns
      -- No recipient of a campaign that does not run is locked: a withdrawal skips locked recipients.
      where id = ${campaignId} and organization_id = ${organizationId} and status = 'running' for share of campaigns),
    r as materialized (
      select r.organization_id, r.phone_number from c
      cross join (select id from unnest(${anyLength(recipientIds, 'uuid')}) as x(id) order by id) x
      -- One look-up by key for each claim, even if the planner has no statistics of a table that was filled a moment ago.
      cross join lateral (
        select organization_id, phone_number from campaign_recipients
        where organization_id = ${organizationId} and campaign_id = c.id and id = x.id
        limit 1 for no key update) r),
    people as (${heldPeople(sql`r`, organization)})
    select count(*) from r`;
}

interface DecidedRow {
  claim_id: string;
  refusal: GateReason | null;
  now: Date;
  timezone: string | null;
  slot_at: Date | null;
  person_free_at: Date | null;
  grounds_id: string | null;
  person_check: PersonCheckJson | null;
  phone_number: string;
  from_phone: string | null;
  provider: string;
  prompt_params: Record<string, string>;
  closed_until: Date | null;
  failures_in_a_row: number | null;
}

/** What the conditions are asked of, of claims as `claimTables` gives them. */
export function claimRow(values: GateValues, callerIds: CallerIdsOfGate): GateRow {
  const { organizationId, campaignId } = values;
  return {
    now: sql`t.now`,
    organization_id: sql`${organizationId}::uuid`,
    phone_number: sql`r.phone_number`,
    call_id: sql`x.claim_id`,
    is_live: sql`r.state = 'claimed' and r.claim_id = x.claim_id and r.attempts + 1 = x.attempt`,
    of_campaign: sql`true`,
    status: sql`c.status`,
    is_current: sql`c.revision = ${values.revision}::int`,
    withdrawn_at: sql`r.withdrawn_at`,
    attempts: sql`r.attempts`,
    round_attempts: sql`r.round_attempts`,
    last_outcome: sql`r.last_outcome`,
    is_asked_round: sql`r.round_attempts = 0 and r.asked_round = r.round`,
    max_attempts: sql`${values.maxAttempts}::int`,
    call_back_attempts: sql`${values.callBackAttempts}::int`,
    queue_again: sql`${values.queueAgain}::boolean`,
    retry_on: sql`${values.retryOn}::text[]`,
    opens_at: sql`w.opens_at`,
    closes_at: sql`w.closes_at`,
    needs_consent: sql`${values.needsConsent}::boolean`,
    consent_id: sql`consent.id`,
    person_free_at: personFreeAt({
      caps: sql`caps.caps`,
      dialed_at: sql`person.dialed_at`,
      dialed_by: sql`person.dialed_by`,
      conversation_at: sql`person.conversation_at`,
      now: sql`t.now`,
      campaign_id: sql`${campaignId}::uuid`,
      is_debt_collection: sql`coalesce(${values.purpose}::text = 'debt_collection', false)`,
      own_dial: sql`null::timestamptz`,
    }),
    hours_open_at: sql`w.hours_open_at`,
    hours_close_at: sql`w.hours_close_at`,
    needs_caller_id: callerIds.areNeeded,
    has_caller_id: callerIds.isThere,
    lease_expires_at: sql`r.lease_expires_at`,
    queue_deadline_at: sql`null::timestamptz`,
    is_paced: sql`${values.isPaced}::boolean or p.calls_per_second is not null`,
    slot_at: sql`r.slot_at`,
    slots_from: sql`greatest(p.slots_from, rt.slots_from)`,
    calls_left: callsLeft(sql`${organizationId}::uuid`),
    nth: sql`x.nth`,
  };
}

/** `t` and `caps`, the tables of every decision. */
export function clockAndCaps({ organizationId }: Pick<GateValues, 'organizationId'>): RawBuilder<unknown> {
  return sql`
    t as materialized (select engine_now() as now),
    caps as materialized (select ${effectivePersonCaps(sql`${organizationId}::uuid`)} as caps)`;
}

/** The claims with all that a condition reads of them. */
export function claimTables(values: GateValues, callerIds: CallerIdsOfGate): RawBuilder<unknown> {
  const { organizationId, campaignId } = values;
  return sql`
      t cross join caps
      cross join unnest(${anyLength(values.recipientIds, 'uuid')}, ${anyLength(values.claimIds, 'uuid')},
                        ${anyLength(values.attempts, 'int')}) with ordinality as x(recipient_id, claim_id, attempt, nth)
      left join lateral (
        select * from campaigns where id = ${campaignId} and organization_id = ${organizationId} limit 1) c on true
      left join lateral (select * from campaign_runtime where campaign_id = c.id limit 1) rt on true
      left join lateral (
        select * from campaign_recipients
        where organization_id = ${organizationId} and campaign_id = c.id and id = x.recipient_id limit 1) r on true
      left join lateral (select * from providers where name = r.claim_provider limit 1) p on true
      left join lateral (
        select * from called_people p
        where caps.caps is not null and p.organization_id = ${organizationId} and p.phone_number = r.phone_number
        limit 1) person on true
      left join lateral ${consentOfDial({
        organization_id: sql`${organizationId}::uuid`,
        phone_number: sql`r.phone_number`,
        now: sql`t.now`,
        is_required: sql`${values.needsConsent}::boolean`,
        bases: sql`${values.consentBases}::text[]`,
        purpose: sql`${values.purpose}::text`,
      })} consent on true
      left join ${windowsTable(values)} w on w.zone = r.timezone${callerIds.table}`;
}

/** What the ledger of the person of a claim says, for its receipt. */
export const checkOfClaim = personCheck({
  caps: sql`caps.caps`,
  dialed_at: sql`person.dialed_at`,
  dialed_by: sql`person.dialed_by`,
  conversation_at: sql`person.conversation_at`,
  now: sql`t.now`,
  own_dial: sql`null::timestamptz`,
});

function decideStatement(values: GateValues, callerIds: CallerIdsOfGate): RawBuilder<DecidedRow> {
  const { organizationId, campaignId } = values;
  return sql<DecidedRow>`
    with ${clockAndCaps(values)},
    g as materialized (
      select r.id as recipient_id, r.round, r.timezone, r.claim_provider, r.prompt_params, p.closed_until, p.failures_in_a_row,
        w.grounds_id, ${checkOfClaim} as person_check, 
        ${callerIds.number} as caller_id_number, ${callerIds.id} as caller_id, ${gateRow(claimRow(values, callerIds))}
      from ${claimTables(values, callerIds)}),
    judged as materialized (select g.*, ${refusalOf(gateConditions)} as refusal from g),
    placed as (
      insert into calls (id, organization_id, agent_id, campaign_id, recipient_id, attempt, round, round_attempt,
        provider, phase,
        phone_number, from_phone, caller_id, prompt_id, prompt_params, created_by, created_at, slot_at, gated_at, check_at, line_held, consent_id,
        grounds_id, person_check)
      select call_id, organization_id, ${values.agentId}, ${campaignId}, recipient_id, attempts + 1, round, round_attempts + 1, claim_provider, 'placing',
        phone_number, coalesce(caller_id_number, ${values.fromPhone}), caller_id, ${values.promptId},
        ${values.promptParams}::jsonb || coalesce(prompt_params, '{}'), ${values.createdBy}, now, slot_at,
        now, now + ${values.lookUpGraceMs} * interval '1 millisecond', true, consent_id,
        grounds_id, person_check
      from judged where refusal is null
      -- Gates of other campaigns may bring the same numbers; in one order, none waits for another in a circle.
      order by phone_number
      on conflict do nothing
      returning id, recipient_id, prompt_params, from_phone, gated_at, consent_id),
    marked as (
      update campaign_recipients r
      set state = 'dialing', attempts = r.attempts + 1, round_attempts = r.round_attempts + 1,
          first_attempt_at = coalesce(r.first_attempt_at, placed.gated_at), next_attempt_at = null,
          lease_expires_at = null, slot_at = null
      from placed
      where r.organization_id = ${organizationId} and r.campaign_id = ${campaignId} and r.id = placed.recipient_id),
    ${callerIds.dialed}used as (${usedConsents(sql`(
      select consent_id, gated_at as at from placed where consent_id is not null)`)}),
    counted as (${countedDials(sql`(
      select j.organization_id, j.phone_number, ${campaignId}::uuid as campaign_id, placed.gated_at as at
      from caps cross join placed join judged j on j.call_id = placed.id where caps.caps is not null)`)})
    select j.call_id as claim_id, case when placed.id is null then coalesce(j.refusal, 'number_in_call') end as refusal,
      j.now, j.timezone, j.slot_at, j.person_free_at, j.grounds_id, j.person_check, j.phone_number, j.claim_provider as provider, placed.from_phone, placed.prompt_params, j.closed_until,
      j.failures_in_a_row
    from judged j left join placed on placed.id = j.call_id`;
}

function toAnswer(row: DecidedRow): GateAnswer {
  const { refusal, now } = row;
  if (refusal !== null) {
    return {
      kind: 'refused',
      reason: refusal,
      now,
      timezone: row.timezone,
      slotAt: row.slot_at,
      personFreeAt: row.person_free_at,
      groundsId: row.grounds_id,
      personCheck: row.person_check,
    };
  }
  return {
    kind: 'passed',
    pass: {
      callId: row.claim_id,
      toPhone: row.phone_number,
      fromPhone: row.from_phone,
      provider: row.provider,
      promptParams: row.prompt_params,
      gatedAt: now,
      circuit: { now, closedUntil: row.closed_until, failuresInARow: row.failures_in_a_row ?? 0 },
    },
  };
}
