import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';

/** How long a queued call has to wait for earlier calls of its organization, at the pace of its provider. */
export async function readQueuePlace(
  tx: Tx,
  call: { id: string; organizationId: string; provider: string; now: Date },
): Promise<{ turnInMs: number; aheadMs: number }> {
  const { rows } = await sql<{ ahead: number; created_at: Date; calls_per_second: number | null }>`
    select c.created_at, p.calls_per_second, (
      select count(*)::int from calls a where a.phase = 'queued' and a.queue_deadline_at is not null and a.provider = ${call.provider}
        and a.organization_id = ${call.organizationId} and a.created_at < c.created_at) as ahead
    from calls c cross join providers p where c.id = ${call.id} and p.name = ${call.provider}`.execute(tx);
  const row = rows[0];
  if (!row || row.calls_per_second === null) return { turnInMs: 0, aheadMs: 0 };
  const aheadMs = (row.ahead * 1_000) / row.calls_per_second;
  return { aheadMs, turnInMs: row.created_at.getTime() + aheadMs - call.now.getTime() };
}

/**
 * Queued calls whose deadline has passed, and calls to retry in case their job was lost: the oldest of each organization, at most one per free
 * line.
 */
export async function findQueuedCalls(
  tx: Tx,
  args: { now: Date; olderThan: Date; limit: number },
): Promise<{ expired: string[]; waiting: Array<{ id: string; organizationId: string }> }> {
  const { rows } = await sql<{ id: string; organization_id: string; expired: boolean }>`
    with queued as materialized (
      select id, queue_deadline_at <= ${args.now} as expired, created_at,
        row_number() over (partition by organization_id, provider order by created_at) as nth,
        (select p.max_lines - p.lines_in_use from providers p where p.name = provider) as of_provider,
        (select o.max_lines - o.lines_in_use from organizations o where o.id = organization_id) as of_organization
      from calls
      where phase = 'queued' and queue_deadline_at is not null and (queue_deadline_at <= ${args.now} or created_at <= ${args.olderThan}))
    select c.id, c.organization_id, queued.expired from queued join calls c on c.id = queued.id and c.phase = 'queued'
    where queued.expired or queued.nth <= least(${args.limit}, queued.of_provider, queued.of_organization)
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
