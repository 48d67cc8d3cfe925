import type { CalledPerson, Deferral } from '@outdial/core';
import { sql } from 'kysely';
import type { GateRefusal } from './gate/conditions.ts';
import { lastCallerIdOf } from '../caller-ids/uses.ts';
import { refusalsCounted } from '../compliance/refusals.ts';
import { deferred } from '../postgres/deferred.ts';
import { recipientsFinished } from '../outbox/event-rows.ts';
import type { Tx } from '../transaction.ts';
import { lockLineCaps } from './line-caps.ts';
import { noLineWaiters, releaseLines, type LineWaiters } from './lines.ts';

export interface Claim {
  recipientId: string;
  claimId: string;
  /** The attempt of this claim, from 1. */
  attempt: number;
}

export interface ClaimArgs {
  organizationId: string;
  campaignId: string;
  provider: string;
  /** Zones whose window is open at `now`. */
  zones: readonly string[];
  now: Date;
  limit: number;
  leaseExpiresAt: Date;
  /** One for each claim in order, if calls per second are limited. */
  slots: readonly Date[] | null;
  /** Whether to return the people, to choose a caller id for each. */
  withPeople?: boolean;
}

export type ClaimOfPerson = Claim & { person: CalledPerson | null };

/**
 * Claims due recipients, the longest due first, and reserves their lines of the campaign. The caller reserves the lines of organization and provider
 * in the same transaction if they have a cap (`takeSharedLines`). The caller has locked the row of `campaign_runtime`, and those of `organizations`
 * and `providers` if they have a cap or a pace, and has checked that the lines are free. The claims are available after the next statement of the transaction.
 */
export async function claimDueRecipients(
  tx: Tx,
  args: ClaimArgs,
): Promise<{ claims: Promise<ClaimOfPerson[]> }> {
  const claim = sql<{
    id: string;
    claim_id: string;
    attempt: number;
    n: string;
    phone_number: string | null;
    last_caller_id: string | null;
  }>`
    with due as materialized (
      select d.row_id, row_number() over (order by d.next_attempt_at, d.position) as n
      from (
        select r.* from unnest(${args.zones}::text[]) as z(zone)
        cross join lateral (
          select ctid as row_id, next_attempt_at, position from campaign_recipients
          where campaign_id = ${args.campaignId} and timezone = z.zone and state = 'pending'
            and next_attempt_at <= ${args.now}
          order by next_attempt_at, position limit ${args.limit} for no key update skip locked
        ) r
        order by r.next_attempt_at, r.position limit ${args.limit}
      ) d
    ),
    claimed as (
    update campaign_recipients r
    set state = 'claimed', claim_id = new_id(), claim_provider = ${args.provider},
        lease_expires_at = ${args.leaseExpiresAt}, slot_at = (${args.slots}::timestamptz[])[due.n]
    from due
    -- By ctid, because these row versions are locked.
    where r.ctid = due.row_id and r.organization_id = ${args.organizationId} and r.campaign_id = ${args.campaignId}
    returning r.id, r.claim_id, r.attempts + 1 as attempt, due.n, r.organization_id, r.phone_number),
    taken as materialized (select count(*)::int as lines from claimed),
    rt as (update campaign_runtime set lines_in_use = lines_in_use + taken.lines, served_at = ${args.now} from taken
           where campaign_id = ${args.campaignId} and taken.lines > 0)
    select id, claim_id, attempt, n, case when asked.is_on then phone_number end as phone_number,
      case when asked.is_on then ${lastCallerIdOf(sql`claimed`)} end as last_caller_id
    from claimed cross join (select ${args.withPeople ?? false}::boolean as is_on) asked`;
  const { rows } = await deferred(claim, tx);
  const claims = rows.then((answered) =>
    answered
      // An update returns rows in no fixed order, but calls are placed in list order.
      .toSorted((one, other) => Number(one.n) - Number(other.n))
      .map((row) => ({
        recipientId: row.id,
        claimId: row.claim_id,
        attempt: row.attempt,
        person:
          row.phone_number === null
            ? null
            : { phoneNumber: row.phone_number, lastCallerId: row.last_caller_id },
      })),
  );
  claims.catch(() => undefined);
  return { claims };
}

/** A claim to release, and its recipient's next state: due again at an instant, or never dialed. */
export interface ClaimReturn {
  organizationId: string;
  campaignId: string;
  recipientId: string;
  claimId: string;
  next:
    | { state: 'pending'; at: Date; deferredFor?: Deferral | undefined }
    | { state: 'suppressed'; reason?: 'no_consent' | 'on_scrub_list' | undefined };
  /** Why the claim failed, if it did. From the second consecutive failure, the recipient waits longer each time. */
  failure?: string;
  /** Why the gate refused the claim, if it did. Counted for the receipt. */
  refusal?: GateRefusal;
}

const firstWaitSeconds = 5;
const longestWaitSeconds = 3_600;

export interface ReturnedClaims {
  returned: number;
  lineWaiters: LineWaiters;
}

/**
 * Releases claims that have not passed the gate, with their lines. Burns no attempt. Ignores claims that were replaced. A recipient that was
 * withdrawn meanwhile becomes `withdrawn`.
 */
export async function returnClaims(
  tx: Tx,
  claims: readonly ClaimReturn[],
  now: Date,
): Promise<ReturnedClaims> {
  if (claims.length === 0) return { returned: 0, lineWaiters: noLineWaiters };
  await lockLineCaps(tx);
  const wanted = claims.map((claim) => ({
    organization_id: claim.organizationId,
    campaign_id: claim.campaignId,
    id: claim.recipientId,
    claim_id: claim.claimId,
    state: claim.next.state,
    next_attempt_at: claim.next.state === 'pending' ? claim.next.at : null,
    failure: claim.failure ?? null,
    reason: claim.next.state === 'suppressed' ? claim.next.reason : undefined,
    deferred_for: claim.next.state === 'pending' ? claim.next.deferredFor : undefined,
    refused: claim.refusal?.reason,
    refused_at: claim.refusal?.now,
    grounds_id: claim.refusal?.groundsId,
    person_check: claim.refusal?.personCheck,
  }));
  const { rows } = await sql<{
    organization_id: string;
    campaign_id: string;
    claim_provider: string;
    count: number;
  }>`
    with old as materialized (
      select r.ctid as row_id, r.organization_id, r.campaign_id, r.id, r.claim_id, r.claim_provider, r.attempts, x.state, x.next_attempt_at, x.failure, x.reason, x.deferred_for,
        x.refused, x.refused_at, x.grounds_id, x.person_check
      from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
        as x(organization_id uuid, campaign_id uuid, id uuid, claim_id uuid, state text, next_attempt_at timestamptz, failure text,
          reason text, deferred_for text, refused text, refused_at timestamptz, grounds_id uuid, person_check jsonb)
      join campaign_recipients r
        on r.organization_id = x.organization_id and r.campaign_id = x.campaign_id and r.id = x.id
       and r.state = 'claimed' and r.claim_id = x.claim_id
      order by r.id for no key update of r),
    refused as (${refusalsCounted(sql`old where refused is not null`)}),
    failing as (
      insert into failing_recipients as f
        (recipient_id, organization_id, campaign_id, attempts, failures, last_error, failing_since, last_failed_at)
      select id, organization_id, campaign_id, attempts, 1, failure, ${now}, ${now} from old where failure is not null
      on conflict (recipient_id) do update
      set failures = case when f.attempts = excluded.attempts then f.failures + 1 else 1 end,
          failing_since = case when f.attempts = excluded.attempts then f.failing_since else excluded.failing_since end,
          attempts = excluded.attempts, last_error = excluded.last_error, last_failed_at = excluded.last_failed_at
      returning f.recipient_id, f.failures),
    -- One object to look them up in, because a nested loop over five hundred rows would take most of the statement's time.
    failed as materialized (select jsonb_object_agg(recipient_id, failures) as times from failing),
    changed as (
      update campaign_recipients r
      set state = case when r.withdrawn_at is not null then 'withdrawn' else old.state end,
          -- A recipient that is due at once was due before the claim. It keeps its earlier due time, so that setting the clock back does not delay it.
          next_attempt_at = case when r.withdrawn_at is not null then null
            when old.failure is null and old.next_attempt_at <= ${now} then coalesce(r.next_attempt_at, old.next_attempt_at)
            else old.next_attempt_at + case when (failed.times ->> old.id::text)::int > 1
            then least(${longestWaitSeconds}, ${firstWaitSeconds} * 2 ^ least((failed.times ->> old.id::text)::int - 2, 20)) else 0 end * interval '1 second' end,
          claim_id = null, claim_provider = null, lease_expires_at = null, slot_at = null,
          deferred_until = case when old.deferred_for is not null then old.next_attempt_at end,
          deferred_for = old.deferred_for
      from old cross join failed
      -- By ctid, because these row versions are locked.
      where r.ctid = old.row_id
      returning r.organization_id, r.campaign_id, r.id, r.state, r.last_outcome, r.attempts, r.round, old.claim_provider,
        old.reason as refused_for),
    freed as (delete from caller_id_uses u using old where u.claim_id = old.claim_id),
    finished as (${recipientsFinished(sql`changed where state <> 'pending'`, { reason: sql`case when state = 'suppressed' then coalesce(refused_for, state) else state end`, now })})
    select organization_id, campaign_id, claim_provider, count(*)::int as count from changed
    group by organization_id, campaign_id, claim_provider`.execute(tx);
  const { lineWaiters } = await releaseLines(
    tx,
    rows.map((row) => ({
      organizationId: row.organization_id,
      campaignId: row.campaign_id,
      provider: row.claim_provider,
      count: row.count,
    })),
    now,
  );
  return { returned: rows.reduce((sum, row) => sum + row.count, 0), lineWaiters };
}

/** Claims whose worker has not passed the gate in time, the oldest first. */
export async function findExpiredClaims(tx: Tx, now: Date, limit: number): Promise<ClaimReturn[]> {
  // With statistics from before the claims, Postgres would sort all of them for each batch.
  await deferred(sql`select set_config('enable_sort', 'off', true)`, tx);
  const { rows } = await sql<{ organization_id: string; campaign_id: string; id: string; claim_id: string }>`
    select organization_id, campaign_id, id, claim_id from campaign_recipients
    where state = 'claimed' and lease_expires_at <= ${now}
    order by lease_expires_at limit ${limit} for no key update skip locked`.execute(tx);
  await deferred(sql`select set_config('enable_sort', 'on', true)`, tx);
  return rows.map((row) => ({ ...toReturn(row, now), failure: 'no worker reached its gate in time' }));
}

/** All claims of a campaign whose row is locked, so that no gate is in progress. */
export async function findCampaignClaims(tx: Tx, campaignId: string, now: Date): Promise<ClaimReturn[]> {
  const { rows } = await sql<{ organization_id: string; campaign_id: string; id: string; claim_id: string }>`
    select organization_id, campaign_id, id, claim_id from campaign_recipients
    where campaign_id = ${campaignId} and state = 'claimed' order by id for no key update`.execute(tx);
  return rows.map((row) => toReturn(row, now));
}

function toReturn(
  row: { organization_id: string; campaign_id: string; id: string; claim_id: string },
  now: Date,
): ClaimReturn {
  return {
    organizationId: row.organization_id,
    campaignId: row.campaign_id,
    recipientId: row.id,
    claimId: row.claim_id,
    next: { state: 'pending', at: now },
  };
}
