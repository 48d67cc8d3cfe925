import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';

/** A direct call and waits for its line. Its row is held; null where it waits no more. */
export interface QueuedCall {
  id: string;
  organizationId: string;
  agentId: string;
  provider: string;
  toPhone: string;
  fromPhone: string | null;
  promptText: string;
  promptParams: Record<string, string>;
  meta: Record<string, unknown>;
  queueDeadlineAt: Date;
  slotAt: Date | null;
  now: Date;
  suppressed: boolean;
  numberInCall: boolean;
}

export async function lockQueuedCall(tx: Tx, callId: string): Promise<QueuedCall | null> {
  const { rows } = await sql<{
    id: string;
    organization_id: string;
    agent_id: string;
    provider: string;
    phone_number: string;
    from_phone: string | null;
    prompt: string;
    prompt_params: Record<string, string> | null;
    meta: Record<string, unknown> | null;
    queue_deadline_at: Date;
    slot_at: Date | null;
    now: Date;
    suppressed: boolean;
    number_in_call: boolean;
  }>`
    with held as materialized (select * from calls where id = ${callId} and phase = 'queued' for no key update)
    select held.id, organization_id, agent_id, provider, phone_number, from_phone, prompt_params, meta,
      (select p.prompt from agent_prompts p where p.id = held.prompt_id) as prompt, queue_deadline_at, slot_at, engine_now() as now,
      exists (select from suppressions s where s.organization_id = held.organization_id
              and s.phone_number = held.phone_number) as suppressed,
      exists (select from calls l where l.organization_id = held.organization_id and l.phone_number = held.phone_number
              and l.phase in ('placing', 'ringing', 'answered')) as number_in_call
    from held`.execute(tx);
  const row = rows[0];
  if (!row) return null;
  return {
    id: row.id,
    organizationId: row.organization_id,
    agentId: row.agent_id,
    provider: row.provider,
    toPhone: row.phone_number,
    fromPhone: row.from_phone,
    promptText: row.prompt,
    promptParams: row.prompt_params ?? {},
    meta: row.meta ?? {},
    queueDeadlineAt: row.queue_deadline_at,
    slotAt: row.slot_at,
    now: row.now,
    suppressed: row.suppressed,
    numberInCall: row.number_in_call,
  };
}

/**
 * Marks a queued call as being placed and takes its lines. The caps of lines are kept and its row is held, and so are those of its
 * organization and its provider where they have a cap.
 * The last look at the suppression list, the deadline and the slot is this statement's own.
 */
export async function passDirectCallGate(
  tx: Tx,
  args: { callId: string; lookUpGraceMs: number; slotToleranceMs: number },
): Promise<Date | null> {
  const { rows } = await sql<{ gated_at: Date; organization_id: string; provider: string }>`
    with t as materialized (select engine_now() as now)
    update calls c
    set phase = 'placing', gated_at = t.now, line_held = true, queue_deadline_at = null,
        check_at = t.now + ${args.lookUpGraceMs} * interval '1 millisecond'
    from t
    where c.id = ${args.callId} and c.phase = 'queued' and t.now < c.queue_deadline_at
      and (c.slot_at is null
           or (t.now >= c.slot_at and t.now <= c.slot_at + ${args.slotToleranceMs} * interval '1 millisecond'))
      and not exists (select from suppressions s
                      where s.organization_id = c.organization_id and s.phone_number = c.phone_number)
    returning c.gated_at, c.organization_id, c.provider`.execute(tx);
  const row = rows[0];
  if (!row) return null;
  await sql`
    with o as (
      update organizations set lines_in_use = lines_in_use + 1
      where id = ${row.organization_id} and max_lines is not null)
    update providers set lines_in_use = lines_in_use + 1
    where name = ${row.provider} and max_lines is not null`.execute(tx);
  return row.gated_at;
}

/** Keeps the slot of time that a queued call was given. */
export async function saveQueuedCallSlot(tx: Tx, callId: string, slotAt: Date | null): Promise<void> {
  await tx
    .updateTable('calls')
    .set({ slot_at: slotAt })
    .where('id', '=', callId)
    .where('phase', '=', 'queued')
    .execute();
}

/** Queued calls whose time is up, and those that should be tried again in case their job was lost. */
export async function findQueuedCalls(
  tx: Tx,
  args: { now: Date; olderThan: Date; limit: number },
): Promise<{ expired: string[]; waiting: { id: string; organizationId: string }[] }> {
  const { rows } = await sql<{ id: string; organization_id: string; expired: boolean }>`
    select id, organization_id, queue_deadline_at <= ${args.now} as expired from calls
    where phase = 'queued' and (queue_deadline_at <= ${args.now} or created_at <= ${args.olderThan})
    order by created_at limit ${args.limit} for no key update skip locked`.execute(tx);
  return {
    expired: rows.filter((row) => row.expired).map((row) => row.id),
    waiting: rows
      .filter((row) => !row.expired)
      .map((row) => ({ id: row.id, organizationId: row.organization_id })),
  };
}
