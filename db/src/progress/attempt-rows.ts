import { type Selectable, sql } from 'kysely';
import {
  type RulesOfCampaign,
  type RulesRow,
  toRules,
  rulesColumns,
} from '../campaigns/campaign-definition.ts';
import type { CallTable } from '../schema/calls.ts';
import type { CampaignRecipientTable } from '../schema/campaigns.ts';
import { anyLength } from '../postgres/any-length.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Tx } from '../transaction.ts';

export const callColumns = [
  'id',
  'organization_id',
  'campaign_id',
  'recipient_id',
  'attempt',
  'round',
  'round_attempt',
  'provider',
  'phase',
  'outcome',
  'conversation_id',
  'transcript',
  'duration_seconds',
  'cost',
  'recording_url',
  'call_extract',
  'external_status',
  'events',
  'gated_at',
  'accepted_at',
  'answered_at',
  'ended_at',
  'corrected_at',
  'check_at',
  'line_held',
  'purpose',
  'transfer_line',
] as const;

export type LockedCall = Pick<Selectable<CallTable>, (typeof callColumns)[number]>;

type RecipientColumn =
  | 'calling_key'
  | 'attempts'
  | 'round'
  | 'round_attempts'
  | 'first_attempt_at'
  | 'requested_round'
  | 'withdrawn_at'
  | 'state'
  | 'finish_reason'
  | 'call_id';

export type LockedRecipient = Pick<Selectable<CampaignRecipientTable>, RecipientColumn | 'id'>;

/** The call and the recipient are locked. */
export interface LockedAttempt {
  call: LockedCall;
  of: { recipient: LockedRecipient; rules: RulesOfCampaign } | null;
}

/** Null for a direct call. */
type RecipientRow = { [column in RecipientColumn as `r_${column}`]: LockedRecipient[column] };

/** Only the first row of each campaign has its rules; they are null on others. */
export type AttemptRow = LockedCall & { now: Date; capped: boolean } & RecipientRow &
  (RulesRow | { status: null });

export function toAttempt(row: AttemptRow, rules: Map<string, RulesOfCampaign>): LockedAttempt {
  const { campaign_id: campaignId, recipient_id: id } = row;
  if (campaignId === null || id === null) return { call: row, of: null };
  const ofCampaign = rules.get(campaignId) ?? (row.status && toRules(row));
  if (!ofCampaign) throw new Error('a call of a campaign that has no row');
  rules.set(campaignId, ofCampaign);
  const recipient = {
    id,
    calling_key: row.r_calling_key,
    attempts: row.r_attempts,
    round: row.r_round,
    round_attempts: row.r_round_attempts,
    first_attempt_at: row.r_first_attempt_at,
    requested_round: row.r_requested_round,
    withdrawn_at: row.r_withdrawn_at,
    state: row.r_state,
    finish_reason: row.r_finish_reason,
    call_id: row.r_call_id,
  };
  return { call: row, of: { recipient, rules: ofCampaign } };
}

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
      r.finish_reason as r_finish_reason, r.call_id as r_call_id,
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
