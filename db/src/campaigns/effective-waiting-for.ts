import type { WaitingReason } from '@outdial/core';
import { sql } from 'kysely';

/** Workers say every five seconds that they are alive. */
const deadAfterSeconds = 20;
/** A campaign that has been due for longer than this is stuck. */
const dueForSeconds = 10;

const isStuck = sql<boolean>`coalesce(rt.next_dial_at <= (select engine_now()) - ${sql.lit(dueForSeconds)} * interval '1 second', false)`;

/** A standby, or a primary that was demoted: nothing can be dialed, and workers cannot even say that they are alive. */
export const isReadOnly = sql<boolean>`(pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on')`;

/**
 * What a campaign waits for, from `campaign_runtime rt` and `providers p`: the result of its last advance, or what prevents any advance.
 * This is the only place that decides it. Null while it dials. Where the time of a next dial has passed, the reason of the last advance is no longer true:
 * no worker is there, or what brings the campaign to one, the queue or the scheduler, does not work.
 */
export const effectiveWaitingFor = sql<WaitingReason | null>`case
  when rt.waiting_for = 'error' or (rt.waiting_for = 'window' and not ${isStuck}) then rt.waiting_for
  when ${isReadOnly} then 'error'
  when p.closed_until > (select engine_now()) then case p.closed_reason when 'no_adapter' then 'no_adapter' else 'provider' end
  when not ${isStuck} then rt.waiting_for
  when not exists (
    select from workers w where w.seen_at > clock_timestamp() - ${sql.lit(deadAfterSeconds)} * interval '1 second') then 'no_worker'
  when rt.waiting_for is null or rt.waiting_for in ('window', 'calling_hours', 'retry', 'calls_per_second') then 'error'
  else rt.waiting_for end`;
