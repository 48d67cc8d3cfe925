import { sql } from 'kysely';
import type { JsonObject } from '../schema/columns.ts';
import type { Tx } from '../transaction.ts';
import { IDEMPOTENCY_RETENTION_HOURS, type IdempotentRequest } from './idempotency-key.ts';

export type IdempotencyClaim =
  /** The request is the first; others with the key wait until this transaction ends. */
  | { kind: 'first' }
  /** Done: this was the answer. */
  | { kind: 'replay'; response: JsonObject }
  /** Done or being done with the same key, and asked for something else. */
  | { kind: 'other_body' }
  /** Being done at this moment by another transaction. */
  | { kind: 'running' };

/**
 * Takes a key for the rest of the transaction. The lock is tried, never waited for: the second of two requests is told at
 * once, and holds no connection. It goes with the transaction, also when the process dies.
 */
export async function claimIdempotencyKey(
  tx: Tx,
  request: IdempotentRequest,
  now: Date,
): Promise<IdempotencyClaim> {
  const name = JSON.stringify([request.organizationId, request.method, request.path, request.key]);
  const lock = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as taken`.execute(tx);
  if (lock.rows[0]?.taken !== true) return { kind: 'running' };
  // A statement of its own, so that it sees what the former holder of the lock has committed.
  const known = await tx
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'response', 'created_at'])
    .where('organization_id', '=', request.organizationId)
    .where('method', '=', request.method)
    .where('path', '=', request.path)
    .where('key', '=', request.key)
    .executeTakeFirst();
  if (known === undefined || known.created_at <= oldestKept(now)) return { kind: 'first' };
  return known.body_hash.equals(request.bodyHash)
    ? { kind: 'replay', response: known.response }
    : { kind: 'other_body' };
}

/** Answers of this instant and before are forgotten. */
export function oldestKept(now: Date): Date {
  return new Date(now.getTime() - IDEMPOTENCY_RETENTION_HOURS * 3_600_000);
}
