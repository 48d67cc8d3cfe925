import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { tryIdempotencyKey } from '../locks.ts';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor, Tx } from '../transaction.ts';

/** How long answers are stored (docs/behaviour.md). */
export const idempotencyRetentionHours = 24;

/** How a key is stored: clients put telephone numbers into keys, so only a hash, with the organization and the path as salt. */
function storedKey({ organizationId, path, key }: IdempotentRequest): string {
  return `sha256:${hash('sha256', JSON.stringify([organizationId, path, key]), 'base64url')}`;
}

export interface IdempotentRequest {
  organizationId: string;
  method: string;
  path: string;
  key: string;
  /** SHA-256. */
  bodyHash: Buffer;
}

export type IdempotencyClaim =
  | { kind: 'first' }
  | { kind: 'replay'; response: JsonObject }
  | { kind: 'other_body' }
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
    .where('key', '=', storedKey(request))
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

/** Saves the answer in the transaction that creates the resource. */
export async function saveIdempotentResponse(
  tx: Tx,
  request: IdempotentRequest,
  response: object,
  now: Date,
): Promise<void> {
  const saved = { body_hash: request.bodyHash, response: JSON.stringify(response), created_at: now };
  await tx
    .insertInto('idempotency_keys')
    .values({
      organization_id: request.organizationId,
      method: request.method,
      path: request.path,
      key: storedKey(request),
      ...saved,
    })
    // Only an expired answer can conflict.
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'method', 'path', 'key']).doUpdateSet(saved),
    )
    .execute();
}

export async function deleteOldIdempotencyKeys(
  db: Executor,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const result = await sql`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at <= ${expiredBefore(now)} order by created_at limit ${limit}))`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0n);
}
