import { sql } from 'kysely';
import { tryIdempotencyKey } from '../locks.ts';
import type { JsonObject } from '../schema/columns.ts';
import type { Tx } from '../transaction.ts';
import { idempotencyRetentionHours, type IdempotentRequest, storedKey } from './idempotency-key.ts';

export type IdempotencyClaim =
  /** The first request with the key. */
  | { kind: 'first' }
  /** The stored answer of the first request. */
  | { kind: 'replay'; response: JsonObject }
  /** The first request had another body. */
  | { kind: 'other_body' }
  /** The first request is still running. */
  | { kind: 'running' };

/** Locks a key until the end of the transaction, without waiting, so that a repeated request does not occupy a connection. */
export async function claimIdempotencyKey(
  tx: Tx,
  request: IdempotentRequest,
  now: Date,
): Promise<IdempotencyClaim> {
  const name = JSON.stringify([request.organizationId, request.method, request.path, request.key]);
  const lock = await sql<{ taken: boolean }>`
    select ${tryIdempotencyKey(name)} as taken`.execute(tx);
  if (lock.rows[0]?.taken !== true) return { kind: 'running' };
  // After the lock, so that this sees what its last holder committed.
  const known = await tx
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'response', 'created_at'])
    .where('organization_id', '=', request.organizationId)
    .where('method', '=', request.method)
    .where('path', '=', request.path)
    // Earlier releases stored the key itself: there are such rows during an upgrade, and for a day after it.
    .where('key', 'in', [storedKey(request), request.key])
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (known === undefined || known.created_at <= expiredBefore(now)) return { kind: 'first' };
  return known.body_hash.equals(request.bodyHash)
    ? { kind: 'replay', response: known.response }
    : { kind: 'other_body' };
}

/** Answers from this instant or earlier have expired. */
export function expiredBefore(now: Date): Date {
  return new Date(now.getTime() - idempotencyRetentionHours * 3_600_000);
}
