import type { CallingKey, CampaignPurpose } from '@outdial/core';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { dialedAt } from '../caller-ids/uses.ts';
import { sharedCampaign } from '../campaigns/campaign-lifecycle.ts';
import { usedConsents } from '../compliance/consent-of-dial.ts';
import { countedDials, lockedPeople } from '../compliance/person-caps.ts';
import { applyRules, rulesInForce } from '../compliance/rule-versions.ts';
import { endsIfIdle, sharedInstallationRules, sharedSuppressions } from '../gate-locks.ts';
import { locks } from '../locks.ts';
import { deferred } from '../postgres/deferred.ts';
import type { JsonObject } from '../schema/columns.ts';
import type { OrganizationTable } from '../schema/organizations.ts';
import type { Executor, Tx } from '../transaction.ts';
import { judgedCalls, type CallTerms, type JudgedCalls } from './call-row.ts';
import type { GateReason } from './conditions.ts';

/** The settings of an organization from which terms follow. */
export type GateSettings = Pick<
  Selectable<OrganizationTable>,
  'calling_policy' | 'allowed_countries' | 'allowed_special_numbers'
>;

/** What a change of the rules, the organization or the campaign waits for. The terms are read in a later statement, under it. */
export interface TermsOwner {
  organizationId: string;
  /** Null for direct calls. */
  campaignId: string | null;
}

/** What terms follow from, apart from the campaign. */
export interface GroundRules {
  settings: GateSettings;
  /** The version of the operator's rules that is in force. */
  rulesVersion: number;
  now: Date;
}

/** A call that has a row, whose row, person and terms are locked until the commit. */
export interface CallAtGate extends TermsOwner, GroundRules {
  id: string;
  agentId: string;
  provider: string;
  phoneNumber: string;
  fromPhone: string | null;
  /** The recipient's; null for a direct call. */
  callingKey: CallingKey | null;
  /** Of a direct call. */
  purpose: CampaignPurpose | null;
  promptText: string;
  promptParams: Record<string, string>;
  meta: JsonObject;
  /** Whether its provider has calls per second. */
  isPaced: boolean;
}

/** A call whose organization or campaign is being changed. */
export interface HeldCall {
  heldOf: string;
}

const settingColumns = sql`
  o.calling_policy, o.allowed_countries, o.allowed_special_numbers, engine_now() as now, ${rulesInForce} as rules_version`;

type SettingsRow = GateSettings & { now: Date; rules_version: number };

async function toGroundRules(db: Executor, row: SettingsRow): Promise<GroundRules> {
  await applyRules(db, row.rules_version);
  return { settings: row, rulesVersion: row.rules_version, now: row.now };
}

/**
 * Locks a call for its gate, in the order of a dial, and reads it in the snapshot of a later statement. So the terms that are read from here on are those
 * of the gate: a change of them waits for the commit. Null if the call does not exist.
 * @param options.waits whether it waits for a change of the organization or the campaign. Otherwise the organization's id if one holds them.
 */
export async function lockCall(tx: Tx, callId: string, options: { waits: true }): Promise<CallAtGate | null>;
export async function lockCall(
  tx: Tx,
  callId: string,
  options: { waits: boolean },
): Promise<CallAtGate | HeldCall | null>;
export async function lockCall(
  tx: Tx,
  callId: string,
  { waits }: { waits: boolean },
): Promise<CallAtGate | HeldCall | null> {
  const locked = await deferred<{ calls: number }>(
    sql`
    with ${sharedTerms(sql`select organization_id, campaign_id from calls where id = ${callId}`, { waits })},
    l as materialized (
      select l.* from shared cross join lateral (
        select organization_id, phone_number from calls where id = ${callId} limit 1 for no key update) l),
    people as (${lockedPeople(sql`l`)})
    select count(*)::int as calls from l`,
    tx,
  );
  const { rows } = await sql<
    SettingsRow & {
      organization_id: string;
      campaign_id: string | null;
      agent_id: string;
      provider: string;
      phone_number: string;
      from_phone: string | null;
      calling_key: CallingKey | null;
      purpose: CampaignPurpose | null;
      prompt: string;
      prompt_params: Record<string, string> | null;
      meta: JsonObject | null;
      is_paced: boolean;
    }
  >`
    select l.organization_id, l.campaign_id, l.agent_id, l.provider, l.phone_number, l.from_phone, l.purpose, l.prompt_params, l.meta, r.calling_key,
      (select q.prompt from agent_prompts q where q.id = l.prompt_id) as prompt, p.calls_per_second is not null as is_paced, ${settingColumns}
    from calls l join organizations o on o.id = l.organization_id join providers p on p.name = l.provider
    left join campaign_recipients r
      on r.organization_id = l.organization_id and r.campaign_id = l.campaign_id and r.id = l.recipient_id
    where l.id = ${callId}`.execute(tx);
  const [row] = rows;
  const [{ calls } = { calls: 0 }] = await locked.rows;
  if (!row) return null;
  if (calls === 0) return waits ? null : { heldOf: row.organization_id };
  return {
    ...(await toGroundRules(tx, row)),
    id: callId,
    organizationId: row.organization_id,
    campaignId: row.campaign_id,
    agentId: row.agent_id,
    provider: row.provider,
    phoneNumber: row.phone_number,
    fromPhone: row.from_phone,
    callingKey: row.calling_key,
    purpose: row.purpose,
    promptText: row.prompt,
    promptParams: row.prompt_params ?? {},
    meta: row.meta ?? {},
    isPaced: row.is_paced,
  };
}

/** The same for calls whose rows are not locked. Does not wait for a change of the organization or the campaign: null if one holds them. */
export async function tryTerms(
  tx: Tx,
  { organizationId, campaignId }: TermsOwner,
): Promise<GroundRules | null> {
  const owner = sql`select ${organizationId}::uuid as organization_id, ${campaignId}::uuid as campaign_id`;
  const locked = await deferred<{ owners: number }>(
    sql`with ${sharedTerms(owner, { waits: false })} select count(*)::int as owners from shared`,
    tx,
  );
  const { rows } = await sql<SettingsRow>`
    select ${settingColumns} from organizations o where o.id = ${organizationId}`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('the organization of calls is gone');
  const [{ owners } = { owners: 0 }] = await locked.rows;
  return owners === 0 ? null : toGroundRules(tx, row);
}

/**
 * Common table expressions that end with `shared`, after whose row the locks are held.
 * @param owner selects (organization_id, campaign_id)
 * @param options.waits whether it waits for a change of the organization or the campaign. Otherwise `shared` is empty if one holds them.
 */
function sharedTerms(owner: RawBuilder<unknown>, { waits }: { waits: boolean }): RawBuilder<unknown> {
  const [organizationId, campaignId] = [sql`organization_id`, sql`campaign_id`];
  const [campaign, rules] = waits
    ? [sharedCampaign(organizationId, campaignId), sharedSuppressions(organizationId)]
    : [locks.campaign.tryShare(organizationId, campaignId), locks.dialingRules.tryShare(organizationId)];
  return sql`
    owner as materialized (${owner}),
    queued as materialized (
      -- A direct call has no campaign. With null, the function does nothing.
      select campaign_id, ${sharedInstallationRules}, ${campaign} as campaign, ${rules} as rules, ${endsIfIdle} from owner),
    shared as materialized (
      select queued.campaign_id from queued
      left join lateral (
        select id from campaigns where id = queued.campaign_id ${waits ? sql`limit 1 for share` : sql`and queued.campaign limit 1 for share skip locked`}) c on true
      ${waits ? sql`` : sql`where queued.rules and (queued.campaign_id is null or c.id is not null)`})`;
}

/** Checks the conditions of one call without passing its gate. Null if all hold. */
export async function judgeCall(
  tx: Tx,
  callId: string,
  judged: Omit<JudgedCalls, 'which'>,
): Promise<GateReason | null> {
  const { rows } = await sql<{ refusal: GateReason | null }>`
    with ${judgedCalls({ ...judged, which: sql`l.id = ${callId}` })}
    select refusal from judged`.execute(tx);
  const [row] = rows;
  return row === undefined ? 'stale' : row.refusal;
}

export interface CallGate {
  callId: string;
  terms: CallTerms;
  /** The instant of the last gate of a call that is sent again; null for a direct call that is sent for the first time. */
  sentAt: Date | null;
  /** How many gates the calls per second leave now; null without a pace. */
  paceLeft: number | null;
}

/** The columns of a call that may be sent. If the row has another instant, another worker has sent it again. */
export function rowOfSend({ sentAt, paceLeft }: Pick<CallGate, 'sentAt' | 'paceLeft'>): JudgedCalls['row'] {
  const shared = { queue_deadline_at: sql`l.queue_deadline_at`, pace_left: sql`${paceLeft}::int` };
  if (sentAt === null) {
    return { ...shared, is_live: sql`l.phase = 'queued'`, needs_caller_id: sql`org.has_caller_ids` };
  }
  const isLive = sql`l.phase = 'placing' and l.accepted_at is null and l.hangup_requested_at is null
    and l.gated_at = ${sentAt}::timestamptz`;
  return { ...shared, is_live: isLive };
}

/**
 * The gate of a call that has a row: a direct call, or a send that is repeated with the same row and attempt. The caller has locked the call
 * (`lockCall`), and then what counts its lines and pace; it takes lines and pace if the call passes.
 */
export async function passCallGate(
  tx: Tx,
  { callId, terms, sentAt, paceLeft, lookUpGraceMs }: CallGate & { lookUpGraceMs: number },
): Promise<{ gatedAt: Date; fromPhone: string | null } | { refusal: GateReason; now: Date }> {
  const which = sql`l.id = ${callId}`;
  const { rows } = await sql<{ refusal: GateReason | null; now: Date; from_phone: string | null }>`
    with ${judgedCalls({ terms, which, row: rowOfSend({ sentAt, paceLeft }) })},
    passed as materialized (select * from judged where refusal is null),
    placed as (
      update calls l
      set phase = 'placing', gated_at = j.now, line_held = true, from_phone = j.from_phone, caller_id = j.caller_id, consent_id = j.consent_id,
          queue_deadline_at = null, grounds_id = j.grounds_id, person_check = coalesce(j.person_check, '{}'), scrub_check = j.scrub_check,
          check_at = j.now + ${lookUpGraceMs} * interval '1 millisecond',
          events = case when j.gated_before is null then l.events else l.events || jsonb_build_array(jsonb_build_object(
            'type', 'placed_again', 'at', to_char(j.now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))) end
      from passed j where l.id = j.call_id),
    -- An attempt uses a consent once, however often it is sent.
    used as (${usedConsents(sql`(
      select consent_id, now as at from passed where consent_id is not null and consent_id is distinct from consent_before)`)}),
    counted as (${countedDials(sql`(
      select organization_id, phone_number, null::uuid as campaign_id, now as at
      from passed where gated_before is null and caps is not null)`)}),
    -- The ledger identifies an attempt by its gate.
    counted_again as (
      update called_people p set dialed_at = array_replace(p.dialed_at, j.gated_before, j.now)
      from passed j
      where p.organization_id = j.organization_id and p.phone_number = j.phone_number and j.gated_before = any(p.dialed_at)),
    dialed as (
      update caller_id_uses u set ${dialedAt(sql`j.now`)}
      from passed j where j.gated_before is null and u.call_id = j.call_id)
    select refusal, now, from_phone from judged`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('the call at its gate is gone');
  const { refusal, now, from_phone: fromPhone } = row;
  return refusal === null ? { gatedAt: now, fromPhone } : { refusal, now };
}
