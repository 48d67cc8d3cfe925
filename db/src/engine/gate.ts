import { sql } from 'kysely';
import { slotToleranceMs } from '@outdial/core';
import { anyLength } from '../postgres/any-length.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Executor } from '../transaction.ts';
import { sharedCampaign } from './campaign-locks.ts';
import type { ProviderCircuit } from './provider-state.ts';

/** One zone's open window, as of the revision that the gate names. */
export interface OpenWindow {
  zone: string;
  opensAt: Date;
  closesAt: Date;
}

/** What the claims of one campaign that come to the gate together have in common. */
export interface GateTerms {
  organizationId: string;
  campaignId: string;
  /** The revision that windows, agent and prompt were read at: a gate decided under an older one does not open. */
  revision: number;
  windows: readonly OpenWindow[];
  agentId: string;
  promptId: string;
  promptParams: Record<string, string>;
  fromPhone: string | null;
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

/** A claim, and whose it is. */
export interface ClaimKey {
  organizationId: string;
  campaignId: string;
  recipientId: string;
  claimId: string;
}

export interface GatePass {
  callId: string;
  toPhone: string;
  provider: string;
  promptParams: Record<string, string>;
  gatedAt: Date;
  /** How the provider stood at the gate; null where it was not read. */
  circuit: ProviderCircuit | null;
}

/**
 * The gate: one statement that checks at the last moment what must hold for a dial, and writes the attempts. A claim that is
 * not in the answer was not let through.
 *
 * It holds the campaign's row in share mode, so a pause, a cancel or an update waits for gates that are open and shuts those
 * that come after it: the row is read again once the lock is there. The instant is taken after both locks.
 * The call gets the id of its claim, which makes a second passage of one claim impossible.
 */
export async function passGate(
  db: Executor,
  terms: GateTerms,
  claims: readonly GateClaim[],
): Promise<Map<string, GatePass>> {
  const recipientIds = claims.map((claim) => claim.recipientId);
  const claimIds = claims.map((claim) => claim.claimId);
  const attempts = claims.map((claim) => claim.attempt);
  const zones = terms.windows.map((window) => window.zone);
  const opensAts = terms.windows.map((window) => window.opensAt);
  const closesAts = terms.windows.map((window) => window.closesAt);
  const { rows } = await sql<{
    id: string;
    phone_number: string;
    provider: string;
    prompt_params: Record<string, string>;
    gated_at: Date;
    closed_until: Date | null;
    failures_in_a_row: number | null;
  }>`
    with queued as materialized (
      select ${sharedCampaign(sql`${terms.organizationId}::uuid`, sql`${terms.campaignId}::uuid`)}),
    c as materialized (
      select id from queued cross join campaigns
      where id = ${terms.campaignId} and organization_id = ${terms.organizationId}
        and status = 'running' and revision = ${terms.revision}
      for share of campaigns),
    r as materialized (
      select r.* from c
      cross join (
        select * from unnest(${anyLength(recipientIds, 'uuid')}, ${anyLength(claimIds, 'uuid')},
                             ${anyLength(attempts, 'int')}) as x(recipient_id, claim_id, attempt)
        order by recipient_id) x
      -- One look-up by key for each claim, whatever the planner knows of a table that was filled a moment ago;
      -- what the row must be is asked below, so that no partial index looks cheaper.
      cross join lateral (
        select r.* from campaign_recipients r
        where r.organization_id = ${terms.organizationId} and r.campaign_id = c.id and r.id = x.recipient_id
        limit 1 for no key update) r
      where r.state = 'claimed' and r.claim_id = x.claim_id and r.attempts + 1 = x.attempt
        and r.withdrawn_at is null),
    t as materialized (select r.*, engine_now() as now from r),
    open as materialized (
      select t.* from t
      join unnest(${anyLength(zones, 'text')}, ${anyLength(opensAts, 'timestamptz')},
                  ${anyLength(closesAts, 'timestamptz')}) as w(zone, opens_at, closes_at)
        on w.zone = t.timezone and t.now >= w.opens_at and t.now < w.closes_at
      where t.now < t.lease_expires_at
        and (t.slot_at is null
             or (t.now >= t.slot_at and t.now <= t.slot_at + ${slotToleranceMs} * interval '1 millisecond'))
        and not exists (select from suppressions s
                        where s.organization_id = t.organization_id and s.phone_number = t.phone_number)),
    placed as (
      insert into calls (id, organization_id, agent_id, campaign_id, recipient_id, attempt, round, round_attempt, provider, phase,
        phone_number, from_phone, prompt_id, prompt_params, created_by, created_at, slot_at, gated_at, check_at, line_held)
      select claim_id, organization_id, ${terms.agentId}, campaign_id, id, attempts + 1, round, round_attempts + 1, claim_provider, 'placing',
        phone_number, ${terms.fromPhone}, ${terms.promptId},
        ${JSON.stringify(terms.promptParams)}::jsonb || coalesce(prompt_params, '{}'), ${terms.createdBy}, now, slot_at,
        now, now + ${terms.lookUpGraceMs} * interval '1 millisecond', true
      from open
      on conflict do nothing
      returning id, recipient_id, phone_number, provider, prompt_params, gated_at),
    marked as (
      update campaign_recipients r
      set state = 'dialing', attempts = r.attempts + 1, round_attempts = r.round_attempts + 1,
          first_attempt_at = coalesce(r.first_attempt_at, placed.gated_at), next_attempt_at = null,
          lease_expires_at = null, slot_at = null
      from placed
      where r.organization_id = ${terms.organizationId} and r.campaign_id = ${terms.campaignId}
        and r.id = placed.recipient_id)
    select placed.id, phone_number, provider, prompt_params, gated_at, p.closed_until, p.failures_in_a_row
    from placed left join providers p on p.name = placed.provider`.execute(prepared(db));
  return new Map(
    rows.map((row) => [
      row.id,
      {
        callId: row.id,
        toPhone: row.phone_number,
        provider: row.provider,
        promptParams: row.prompt_params,
        gatedAt: row.gated_at,
        circuit: {
          now: row.gated_at,
          closedUntil: row.closed_until,
          failuresInARow: row.failures_in_a_row ?? 0,
        },
      },
    ]),
  );
}

/** What a claim stands in the way of, read after a gate did not open. */
export interface GateView {
  now: Date;
  status: string;
  revision: number;
  timezone: string;
  suppressed: boolean;
  numberInCall: boolean;
  slotAt: Date | null;
  leaseExpiresAt: Date;
}

/** Null where the claim is no longer the live one: there is nothing to do for it. */
export async function viewGate(db: Executor, args: ClaimKey): Promise<GateView | null> {
  const { rows } = await sql<{
    now: Date;
    status: string;
    revision: number;
    timezone: string;
    suppressed: boolean;
    number_in_call: boolean;
    slot_at: Date | null;
    lease_expires_at: Date;
  }>`
    select engine_now() as now, c.status, c.revision, r.timezone, r.slot_at, r.lease_expires_at,
      exists (select from suppressions s
              where s.organization_id = r.organization_id and s.phone_number = r.phone_number) as suppressed,
      exists (select from calls l where l.organization_id = r.organization_id and l.phone_number = r.phone_number
              and l.phase in ('placing', 'ringing', 'answered')) as number_in_call
    from campaign_recipients r join campaigns c on c.id = r.campaign_id
    where r.organization_id = ${args.organizationId} and r.campaign_id = ${args.campaignId} and r.id = ${args.recipientId}
      and r.state = 'claimed' and r.claim_id = ${args.claimId}`.execute(db);
  const row = rows[0];
  if (!row) return null;
  return {
    now: row.now,
    status: row.status,
    revision: row.revision,
    timezone: row.timezone,
    suppressed: row.suppressed,
    numberInCall: row.number_in_call,
    slotAt: row.slot_at,
    leaseExpiresAt: row.lease_expires_at,
  };
}

/** Gives a claim another slot of time, after its own went by. */
export async function saveClaimSlot(db: Executor, args: ClaimKey & { slotAt: Date | null }): Promise<void> {
  await db
    .updateTable('campaign_recipients')
    .set({ slot_at: args.slotAt })
    .where('organization_id', '=', args.organizationId)
    .where('campaign_id', '=', args.campaignId)
    .where('id', '=', args.recipientId)
    .where('state', '=', 'claimed')
    .where('claim_id', '=', args.claimId)
    .execute();
}
