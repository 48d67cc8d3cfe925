import { sql } from 'kysely';
import { locks } from '../locks.ts';
import { takeProviderLines } from '../lines/capacity.ts';
import { deferred } from '../postgres/deferred.ts';
import type { CallEvent } from '../schema/calls.ts';
import type { Executor, Tx } from '../transaction.ts';
import type { AgentKey, PersonKey } from '../keys.ts';

/** If the caller withholds the number, `phone_number` is this prefix and the call's id. */
const withheld = 'withheld:';

export interface OwnedCallerId {
  callerId: string;
  organizationId: string;
  /** Answers callers whom no agent has called before. */
  agentId: string | null;
}

/** The caller id with this number. Null if nobody has it, or the operator has not confirmed whose it is. */
export async function findOwnerOfNumber(db: Executor, phoneNumber: string): Promise<OwnedCallerId | null> {
  const row = await db
    .selectFrom('caller_ids')
    .select(['id as callerId', 'organization_id as organizationId', 'agent_id as agentId'])
    .where('phone_number', '=', phoneNumber)
    .where('state', '<>', 'pending')
    .executeTakeFirst();
  return row ?? null;
}

export interface LastCallToPerson {
  agentId: string;
  at: Date;
  outcome: string | null;
  summary: string | null;
  promptParams: Record<string, string>;
}

export async function findLastCallTo(
  db: Executor,
  { organizationId, phoneNumber }: PersonKey,
): Promise<LastCallToPerson | null> {
  const { rows } = await sql<LastCallToPerson>`
    select agent_id as "agentId", gated_at as at, outcome, coalesce(prompt_params, '{}') as "promptParams",
      (select e ->> 'summary' from jsonb_array_elements(events) e where e ->> 'type' = 'conversation_ended' limit 1) as summary
    from calls
    where organization_id = ${organizationId} and phone_number = ${phoneNumber} and kind = 'phone_outbound' and gated_at is not null
    order by created_at desc limit 1`.execute(db);
  return rows[0] ?? null;
}

export interface InboundCounts {
  ofCallerInHour: number;
  toNumberInHour: number;
  /** The organization's inbound calls in progress. */
  now: number;
}

/**
 * Locks out other inbound calls of the organization until the commit, so that they can be counted exactly. False if another transaction has the
 * lock. Does not wait, because a burst of calls to one organization would occupy all connections.
 */
export async function tryLockInboundCalls(tx: Tx, organizationId: string): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    select ${locks.inboundCalls.tryTake(organizationId)} as "isLocked"`.execute(tx);
  return rows[0]?.isLocked === true;
}

/** Counts inbound calls; exact only under `tryLockInboundCalls`. All callers without a number count as one. */
export async function countInboundCalls(
  db: Executor,
  of: { organizationId: string; callerId: string; callerNumber: string | null },
): Promise<InboundCounts> {
  const isCaller =
    of.callerNumber === null
      ? sql`starts_with(phone_number, ${withheld})`
      : sql`phone_number = ${of.callerNumber}`;
  const ofCaller =
    of.callerNumber === null
      ? sql`false`
      : sql`organization_id = ${of.organizationId} and phone_number = ${of.callerNumber} and kind = 'phone_inbound'
          and caller_id is distinct from ${of.callerId}::uuid and created_at > (select engine_now()) - interval '1 hour'`;
  const { rows } = await sql<InboundCounts>`
    select here.of_caller + (select count(*)::int from calls where ${ofCaller}) as "ofCallerInHour",
      here.of_all as "toNumberInHour", (
        select count(*)::int from calls
        where organization_id = ${of.organizationId} and kind = 'phone_inbound' and line_held) as now
    from (
      select count(*)::int as of_all, (count(*) filter (where ${isCaller}))::int as of_caller from calls
      where caller_id = ${of.callerId} and kind = 'phone_inbound' and created_at > (select engine_now()) - interval '1 hour') here`.execute(
    db,
  );
  return rows[0] ?? { ofCallerInHour: 0, toNumberInHour: 0, now: 0 };
}

export interface KnownInboundCall {
  id: string;
  agentId: string;
  isOver: boolean;
}

/** Finds a call by the carrier's id, because carriers repeat requests that time out. */
export async function findInboundCall(
  db: Executor,
  of: { callerId: string; provider: string; conversationId: string },
): Promise<KnownInboundCall | null> {
  const { rows } = await sql<KnownInboundCall>`
    select id, agent_id as "agentId", phase = 'ended' as "isOver" from calls
    where caller_id = ${of.callerId} and kind = 'phone_inbound' and created_at > (select engine_now()) - interval '1 day'
      and conversation_id = ${of.conversationId} and provider = ${of.provider}
    order by created_at desc limit 1`.execute(db);
  return rows[0] ?? null;
}

export interface NewInboundCall extends AgentKey {
  callerId: string;
  provider: string;
  promptId: string;
  promptParams: Record<string, string>;
  /** Null if the caller withholds it. */
  callerNumber: string | null;
  calledNumber: string;
  conversationId: string;
  events: readonly CallEvent[];
  /** The deadline for a voice process to answer. */
  answerWithinSeconds: number;
}

/**
 * Inserts a ringing call with a line; null if another call with this person is in progress. One that is to be refused is queued, because the person may be in
 * another call: end it in the same transaction.
 */
export async function insertInboundCall(
  tx: Tx,
  call: NewInboundCall,
  { isRefused } = { isRefused: false },
): Promise<string | null> {
  const answerBy = isRefused ? null : call.answerWithinSeconds;
  const { rows } = await sql<{ id: string }>`
    insert into calls (id, organization_id, agent_id, caller_id, attempt, provider, kind, phase, phone_number, from_phone, prompt_id,
      prompt_params, conversation_id, created_at, gated_at, check_at, line_held, queue_deadline_at, events)
    select t.id, ${call.organizationId}, ${call.agentId}, ${call.callerId}, 1, ${call.provider}, 'phone_inbound',
      ${isRefused ? 'queued' : 'placing'}, coalesce(${call.callerNumber}, ${withheld} || t.id), ${call.calledNumber}, ${call.promptId},
      ${JSON.stringify(call.promptParams)}::jsonb, ${call.conversationId}, t.now, t.now,
      t.now + ${answerBy}::float8 * interval '1 second', ${!isRefused}, case when ${isRefused}::boolean then t.now end,
      ${JSON.stringify(call.events)}::jsonb
    from (select new_id() as id, engine_now() as now) t
    on conflict (organization_id, phone_number) where line_held do nothing
    returning id`.execute(tx);
  return rows[0]?.id ?? null;
}

/** Takes a line of a provider; false if none is free. Lock the caps of lines and the organization's row first. */
export async function takeProviderLine(
  tx: Tx,
  of: { organizationId: string; provider: string },
): Promise<boolean> {
  const { rows } = await sql<{ is_free: boolean }>`
    select lines_in_use < max_lines as is_free from providers
    where name = ${of.provider} and max_lines is not null for no key update`.execute(tx);
  if (rows[0] === undefined) return true;
  if (!rows[0].is_free) return false;
  await deferred(takeProviderLines({ ...of, count: 1 }), tx);
  return true;
}
