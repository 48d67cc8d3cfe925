import { sql } from 'kysely';
import { isTriedAt } from '../lines/provider-contention.ts';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';

/** How long a queued call has to wait for earlier calls of its organization that may be tried, at the pace of its provider. */
export async function readQueuePlace(
  tx: Tx,
  call: { id: string; organizationId: string; provider: string; now: Date },
): Promise<{ turnInMs: number; aheadMs: number }> {
  const { rows } = await sql<{ ahead: number; created_at: Date; calls_per_second: number | null }>`
    select own.created_at, p.calls_per_second, (
      select count(*)::int from calls c where c.phase = 'queued' and c.queue_deadline_at is not null and c.provider = ${call.provider}
        and c.organization_id = ${call.organizationId} and c.created_at < own.created_at and ${isTriedAt(sql`${call.now}`)}) as ahead
    from calls own cross join providers p where own.id = ${call.id} and p.name = ${call.provider}`.execute(
    tx,
  );
  const row = rows[0];
  if (!row || row.calls_per_second === null) return { turnInMs: 0, aheadMs: 0 };
  const aheadMs = (row.ahead * 1_000) / row.calls_per_second;
  // It is created later than now if the clock was set back.
  return { aheadMs, turnInMs: aheadMs - Math.max(0, call.now.getTime() - row.created_at.getTime()) };
}

/** Has a queued call that is locked give way to others until then; null if it waits with them. Its deadline stays. */
export async function postponeQueuedCall(tx: Tx, callId: string, until: Date | null): Promise<void> {
  await deferred(
    sql`update calls set check_at = ${until} where id = ${callId} and check_at is distinct from ${until}::timestamptz`,
    tx,
  );
}

const triedPastLines = 10;

/**
 * Queued calls whose deadline has passed, and calls to retry in case their job was lost: the oldest of each organization, one per free line and a few
 * more, since the oldest may wait for something else.
 */
export async function findQueuedCalls(
  tx: Tx,
  args: { now: Date; olderThan: Date; limit: number },
): Promise<{ expired: string[]; waiting: Array<{ id: string; organizationId: string }> }> {
  // A call that is created later than now is one from before the clock was set back.
  const isLost = sql`(created_at <= ${args.olderThan} or created_at > ${args.now}::timestamptz + interval '10 seconds')`;
  const { rows } = await sql<{ id: string; organization_id: string; expired: boolean }>`
    with queued as materialized (
      select id, queue_deadline_at <= ${args.now} as expired, created_at,
        row_number() over (partition by organization_id, provider order by created_at) as nth,
        least((select p.max_lines - p.lines_in_use from providers p where p.name = provider),
              (select o.max_lines - o.lines_in_use from organizations o where o.id = organization_id)) as free
      from calls c
      where phase = 'queued' and queue_deadline_at is not null
        and (queue_deadline_at <= ${args.now} or (${isLost} and ${isTriedAt(sql`${args.now}`)})))
    select c.id, c.organization_id, queued.expired from queued join calls c on c.id = queued.id and c.phase = 'queued'
    where queued.expired or (coalesce(queued.free > 0, true) and queued.nth <= least(${args.limit}, queued.free + ${triedPastLines}))
    order by queued.expired desc, queued.created_at limit ${args.limit} for no key update of c skip locked`.execute(
    tx,
  );
  return {
    expired: rows.filter((row) => row.expired).map((row) => row.id),
    waiting: rows
      .filter((row) => !row.expired)
      .map((row) => ({ id: row.id, organizationId: row.organization_id })),
  };
}
