import type { CallerPlace } from '@outdial/core';
import { sql, type Selectable } from 'kysely';
import { anyLength } from '../postgres/any-length.ts';
import { prepared } from '../postgres/prepared.ts';
import type { CallTable } from '../schema/calls.ts';
import type { StoredPlace } from '../schema/campaigns.ts';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor } from '../transaction.ts';
import { callerPlace } from './caller-place.ts';

type CallColumn =
  | 'id'
  | 'organization_id'
  | 'campaign_id'
  | 'agent_id'
  | 'recipient_id'
  | 'attempt'
  | 'provider'
  | 'phase'
  | 'phone_number'
  | 'from_phone'
  | 'conversation_id'
  | 'recording_url'
  | 'accepted_at'
  | 'answered_at'
  | 'hangup_requested_at'
  | 'events';

/** What an adapter needs to look up a call. */
export type LiveCall = Pick<Selectable<CallTable>, CallColumn> & {
  gated_at: Date;
  prompt: string;
  prompt_params: Record<string, string>;
  place: CallerPlace;
  meta: JsonObject;
  now: Date;
};

/** Omits calls that have ended or wait for a line. */
export async function findLiveCalls(db: Executor, ids: readonly string[]): Promise<LiveCall[]> {
  const { rows } = await sql<Omit<LiveCall, 'place'> & { place: StoredPlace | null }>`
    select c.id, c.organization_id, c.campaign_id, c.agent_id, c.recipient_id, c.attempt, c.provider, c.phase, c.phone_number,
      c.from_phone, c.conversation_id, c.recording_url, p.prompt, coalesce(c.prompt_params, '{}') as prompt_params, r.place, coalesce(c.meta, '{}') as meta, c.gated_at, c.accepted_at,
      c.answered_at, c.hangup_requested_at, c.events, engine_now() as now
    from unnest(${anyLength(ids, 'uuid')}) as x(id)
    -- By id, because the index of calls in progress is full of dead entries.
    cross join lateral (select * from calls where id = x.id limit 1) c
    join agent_prompts p on p.id = c.prompt_id
    left join campaign_recipients r
      on r.organization_id = c.organization_id and r.campaign_id = c.campaign_id and r.id = c.recipient_id
    where c.line_held and c.kind <> 'web'`.execute(prepared(db));
  return rows.map((row) => ({ ...row, place: callerPlace(row.place) }));
}

/** Takes overdue calls and postpones their next check, so that other workers skip them. */
export async function takeDueCallChecks(
  db: Executor,
  args: { now: Date; nextCheckAt: Date; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with due as materialized (
      select id from calls
      where line_held and check_at <= ${args.now} and kind <> 'web'
      order by check_at limit ${args.limit} for no key update skip locked)
    update calls c set check_at = ${args.nextCheckAt} from due where c.id = due.id returning c.id`.execute(
    db,
  );
  return rows.map((row) => row.id);
}

/** Sets the time of the next look-up of a live call. */
export async function saveCallCheck(db: Executor, callId: string, checkAt: Date): Promise<void> {
  await sql`update calls set check_at = ${checkAt}
    where id = ${callId} and line_held`.execute(db);
}

/**
 * Makes all calls in progress due for a look-up, those whose send may still be on its way at the end of the grace period. Returns how many. Skips rows
 * that are being changed, because their change sets the time again.
 */
export async function checkAllCalls(db: Executor, { graceMs }: { graceMs: number }): Promise<number> {
  const { numAffectedRows } = await sql`
    with live as materialized (
      select id, greatest((select engine_now()), gated_at + ${graceMs} * interval '1 millisecond') as due_at from calls
      where phase in ('placing', 'ringing', 'answered') and kind <> 'web'
      order by id for no key update skip locked)
    update calls c set check_at = live.due_at from live where c.id = live.id and c.check_at > live.due_at`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
}

/** A call of a provider, as it is compared with the provider's own list. */
export interface ComparedCall {
  id: string;
  organizationId: string;
  conversationId: string | null;
  toPhone: string;
  gatedAt: Date;
  /** The provider accepted it, and did not withdraw it. */
  wasDialed: boolean;
}

/** Calls that were made through a provider since an instant, or those of them that are in progress. */
export async function listCallsToCompare(
  db: Executor,
  args: { provider: string; since: Date; areInProgress: boolean },
): Promise<ComparedCall[]> {
  const rows = await db
    .selectFrom('calls')
    .select([
      'id',
      'organization_id',
      'conversation_id',
      'phone_number',
      'gated_at',
      'accepted_at',
      'outcome',
    ])
    .where('provider', '=', args.provider)
    .where('gated_at', '>=', args.since)
    .$if(args.areInProgress, (query) => query.where('line_held', '=', true))
    .orderBy('gated_at')
    .execute();
  return rows.flatMap((row) => {
    if (row.gated_at === null) return [];
    return {
      id: row.id,
      organizationId: row.organization_id,
      conversationId: row.conversation_id,
      toPhone: row.phone_number,
      gatedAt: row.gated_at,
      wasDialed: row.accepted_at !== null && row.outcome !== 'canceled',
    };
  });
}

export async function saveHangupRequest(db: Executor, callId: string, now: Date): Promise<void> {
  await sql`update calls set hangup_requested_at = coalesce(hangup_requested_at, ${now}) where id = ${callId}`.execute(
    db,
  );
}

/** Null if the call does not exist. */
export async function findCallee(
  db: Executor,
  callId: string,
): Promise<{ organizationId: string; phoneNumber: string; agentConfig: JsonObject } | null> {
  const row = await db
    .selectFrom('calls')
    .innerJoin('agents', (join) =>
      join
        .onRef('agents.organization_id', '=', 'calls.organization_id')
        .onRef('agents.id', '=', 'calls.agent_id'),
    )
    .select(['calls.organization_id', 'calls.phone_number', 'agents.config'])
    .where('calls.id', '=', callId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { organizationId: row.organization_id, phoneNumber: row.phone_number, agentConfig: row.config };
}
