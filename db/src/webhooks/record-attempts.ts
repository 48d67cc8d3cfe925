import { sql } from 'kysely';
import type { Db } from '../transaction.ts';
import { inTransaction } from '../transaction.ts';

export interface DeliveryAttempt {
  deliveryId: string;
  result: 'delivered' | 'retry' | 'failed';
  /** Of `retry`. */
  nextAttemptAt: Date | null;
  responseStatus: number | null;
  error: string | null;
  durationMs: number;
}

export type EndpointHealth =
  /** It answered well. */
  | { kind: 'healthy' }
  | { kind: 'failing' }
  /** Nothing was sent. */
  | { kind: 'unchanged' }
  | { kind: 'disable'; reason: 'gone' | 'failing' };

/**
 * Records attempts for one endpoint, and releases claimed deliveries that were not attempted. Events after one that will be retried wait
 * with it. A delivery that another worker has finished does not change. A lease of another worker is cleared, so an event may be sent
 * twice.
 */
export async function recordAttempts(
  db: Db,
  args: {
    endpointId: string;
    attempts: readonly DeliveryAttempt[];
    /** Claimed, and not sent. */
    untried: readonly string[];
    health: EndpointHealth;
    now: Date;
  },
): Promise<void> {
  const { endpointId, attempts, untried, health, now } = args;
  await inTransaction(db, async (tx) => {
    // The endpoint first, as claims do.
    if (health.kind === 'healthy') {
      await sql`
        update webhook_endpoints set failing_since = null
        where id = ${endpointId} and failing_since is not null`.execute(tx);
    } else if (health.kind === 'failing') {
      await sql`
        update webhook_endpoints set failing_since = ${now}
        where id = ${endpointId} and failing_since is null`.execute(tx);
    } else if (health.kind === 'disable') {
      await sql`
        update webhook_endpoints set enabled = false, disabled_reason = ${health.reason}, updated_at = ${now}
        where id = ${endpointId} and enabled`.execute(tx);
    }
    const retried = attempts.filter((attempt) => attempt.result === 'retry');
    await sql`
      update webhook_deliveries d
      set status = case x.result when 'retry' then 'pending' else x.result end, attempts = d.attempts + 1,
          next_attempt_at = x.next_attempt_at, leased_until = null, last_attempt_at = ${now},
          response_status = x.response_status, error = x.error, duration_ms = x.duration_ms,
          delivered_at = case when x.result = 'delivered' then ${now}::timestamptz end
      from jsonb_to_recordset(${JSON.stringify(attempts.map(attemptRow))}::jsonb) as x(
        id uuid, result text, next_attempt_at timestamptz, response_status int, error text, duration_ms int)
      where d.id = x.id and d.endpoint_id = ${endpointId} and d.status = 'pending'`.execute(tx);
    if (untried.length > 0) {
      await sql`
        update webhook_deliveries set leased_until = null
        where id = any(${untried}::uuid[]) and endpoint_id = ${endpointId} and status = 'pending'`.execute(
        tx,
      );
    }
    if (retried.length > 0) {
      await sql`
        update webhook_deliveries d set next_attempt_at = h.next_attempt_at
        from webhook_deliveries h
        where h.id = any(${retried.map((attempt) => attempt.deliveryId)}::uuid[]) and h.status = 'pending'
          and d.endpoint_id = ${endpointId} and d.subject_id = h.subject_id and d.status = 'pending'
          and d.position > h.position and d.next_attempt_at < h.next_attempt_at`.execute(tx);
    }
  });
}

function attemptRow(attempt: DeliveryAttempt): object {
  return {
    id: attempt.deliveryId,
    result: attempt.result,
    next_attempt_at: attempt.nextAttemptAt ?? undefined,
    response_status: attempt.responseStatus ?? undefined,
    error: attempt.error ?? undefined,
    duration_ms: attempt.durationMs,
  };
}
