import { sql } from 'kysely';

/** Workers say every five seconds that they are alive. */
const deadAfterSeconds = 20;
/** A campaign that has been due for so long is not only on its way. */
const dueForSeconds = 10;

/**
 * What a campaign waits for, from `campaign_runtime rt` and `providers p`: what its last advance found, or what keeps it from being
 * advanced and dialed at all. The one place where this is decided; null while it dials.
 */
export const effectiveWaitingFor = sql<string | null>`case
  when rt.waiting_for in ('window', 'error') then rt.waiting_for
  when p.closed_until > (select engine_now()) then case p.closed_reason when 'no_adapter' then 'no_adapter' else 'provider' end
  when rt.next_dial_at <= (select engine_now()) - ${sql.lit(dueForSeconds)} * interval '1 second' and not exists (
    select from workers w where w.seen_at > clock_timestamp() - ${sql.lit(deadAfterSeconds)} * interval '1 second') then 'no_worker'
  else rt.waiting_for end`;
