import { sql } from 'kysely';

/** Workers say every five seconds that they are alive. */
const deadAfterSeconds = 20;
/** A campaign that has been due for longer than this is stuck. */
const dueForSeconds = 10;

/**
 * What a campaign waits for, from `campaign_runtime rt` and `providers p`: the result of its last advance, or what prevents any advance.
 * This is the only place that decides it. Null while it dials.
 */
export const effectiveWaitingFor = sql<string | null>`case
  when rt.waiting_for in ('window', 'error') then rt.waiting_for
  when p.closed_until > (select engine_now()) then case p.closed_reason when 'no_adapter' then 'no_adapter' else 'provider' end
  when rt.next_dial_at <= (select engine_now()) - ${sql.lit(dueForSeconds)} * interval '1 second' and not exists (
    select from workers w where w.seen_at > clock_timestamp() - ${sql.lit(deadAfterSeconds)} * interval '1 second') then 'no_worker'
  else rt.waiting_for end`;
