import { sql } from 'kysely';
import { anyLength } from '../postgres/any-length.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Tx } from '../transaction.ts';
import { type AttemptRow, callColumns, type LockedAttempt, toAttempt } from './attempt-rows.ts';
import { type RulesOfCampaign, rulesColumns } from '../campaigns/campaign-definition.ts';

export interface LockedAttempts {
  now: Date;
  attempts: LockedAttempt[];
  /** Whether an organization or a provider of these calls has a cap. */
  areCapped: boolean;
}

const columns = sql.join(callColumns.map((column) => sql.ref(`h.${column}`)));

/** Locks the rows of calls and of their recipients, each by id. Lock the caps of lines first (line-caps.ts). Omits unknown ids; ids must be unique. */
export async function lockAttempts(tx: Tx, ids: readonly string[]): Promise<LockedAttempts> {
  const { rows } = await sql<AttemptRow>`
    with locked as materialized (
      select c.* from (select id from unnest(${anyLength(ids, 'uuid')}) as x(id) order by id) x
      cross join lateral (
        select * from calls where id = x.id limit 1 for no key update) c
      -- Late data for the call of an erased person is not stored.
      where c.phone_number <> ''),
    r as materialized (
      select r.* from (select distinct recipient_id, organization_id, campaign_id from locked order by recipient_id) h
      cross join lateral (
        select * from campaign_recipients
        where organization_id = h.organization_id and campaign_id = h.campaign_id and id = h.recipient_id
        limit 1 for no key update) r),
    -- Read once, after all locks.
    t as materialized (select engine_now() as now from (select count(*) from r) after),
    caps as materialized (
      select exists (
        select from (select distinct organization_id as id from locked) one
        cross join lateral (select max_lines from organizations o where o.id = one.id limit 1) o where o.max_lines is not null
        union all
        select from (select distinct provider as name from locked) one
        cross join lateral (select max_lines from providers p where p.name = one.name limit 1) p where p.max_lines is not null
      ) as are_there),
    numbered as (select locked.*, row_number() over (partition by campaign_id order by id) as nth from locked)
    select t.now, caps.are_there as capped, ${columns},
      r.calling_key as r_calling_key, r.attempts as r_attempts, r.round as r_round, r.round_attempts as r_round_attempts,
      r.first_attempt_at as r_first_attempt_at, r.requested_round as r_requested_round, r.withdrawn_at as r_withdrawn_at, r.state as r_state,
      r.call_id as r_call_id,
      ${rulesColumns},
      -- The last of two columns with one name counts: a direct call has no campaign.
      coalesce(f.purpose, h.purpose) as purpose
    from numbered h cross join t cross join caps
    left join r on r.id = h.recipient_id
    -- Forces a look-up by key instead of a scan of few campaigns.
    left join lateral (
      select * from campaigns c where c.id = h.campaign_id and h.nth = 1 limit 1) c on true
    left join lateral (
      select * from campaign_configs f
      where f.organization_id = h.organization_id and f.campaign_id = h.campaign_id and h.nth = 1 limit 1) f on true
    order by h.id`.execute(prepared(tx));
  // The rules are on the first row of each campaign.
  const rules = new Map<string, RulesOfCampaign>();
  const attempts = rows.map((row) => toAttempt(row, rules));
  return { now: rows[0]?.now ?? new Date(0), attempts, areCapped: rows[0]?.capped ?? false };
}
