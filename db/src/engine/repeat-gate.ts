import { slotToleranceMs } from '@outdial/core';
import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';
import type { OpenWindow } from './gate.ts';

/** What a second placement of one attempt needs to know before its gate. */
export interface RepeatView {
  now: Date;
  gatedAt: Date;
  timezone: string;
}

/** The call's row is held; null where it is no longer a placement whose fate is open. */
export async function lockUnplacedCall(tx: Tx, callId: string): Promise<RepeatView | null> {
  const { rows } = await sql<{ now: Date; gated_at: Date; timezone: string | null }>`
    with held as materialized (
      select * from calls where id = ${callId} and phase = 'placing' and accepted_at is null for no key update)
    select engine_now() as now, held.gated_at, r.timezone from held
    left join campaign_recipients r on r.organization_id = held.organization_id and r.campaign_id = held.campaign_id
      and r.id = held.recipient_id`.execute(tx);
  const row = rows[0];
  return row ? { now: row.now, gatedAt: row.gated_at, timezone: row.timezone ?? 'UTC' } : null;
}

/**
 * The gate of a second placement: the same row, the same attempt, and the same checks as the first. The lines are held already.
 * Null is a no.
 */
export async function passRepeatGate(
  tx: Tx,
  args: {
    callId: string;
    /** Null for a direct call: it has no campaign and no window. */
    campaign: { id: string; revision: number; window: OpenWindow } | null;
    slotAt: Date | null;
    lookUpGraceMs: number;
  },
): Promise<Date | null> {
  const { campaign } = args;
  const { rows } = await sql<{ gated_at: Date }>`
    with c as materialized (
      select id from campaigns
      where id = ${campaign?.id ?? null} and status = 'running' and revision = ${campaign?.revision ?? null} for share),
    t as materialized (select engine_now() as now, (select count(*) from c) as campaigns)
    update calls l
    set gated_at = t.now, slot_at = ${args.slotAt}, check_at = t.now + ${args.lookUpGraceMs} * interval '1 millisecond',
        events = l.events || jsonb_build_array(jsonb_build_object('type', 'placed_again', 'at', to_char(
          t.now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
    from t
    where l.id = ${args.callId} and l.phase = 'placing' and l.accepted_at is null
      and (l.campaign_id is null or (
        t.campaigns = 1 and t.now >= ${campaign?.window.opensAt ?? null} and t.now < ${campaign?.window.closesAt ?? null}))
      and (${args.slotAt}::timestamptz is null or (
        t.now >= ${args.slotAt}::timestamptz
        and t.now <= ${args.slotAt}::timestamptz + ${slotToleranceMs} * interval '1 millisecond'))
      and not exists (select from suppressions s
                      where s.organization_id = l.organization_id and s.phone_number = l.phone_number)
    returning l.gated_at`.execute(tx);
  return rows[0]?.gated_at ?? null;
}
