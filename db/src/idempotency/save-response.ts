import type { Tx } from '../transaction.ts';
import type { IdempotentRequest } from './idempotency-key.ts';

/** Keeps the answer in the transaction that creates what it tells of: either both are there or neither. */
export async function saveIdempotentResponse(
  tx: Tx,
  request: IdempotentRequest,
  response: object,
  now: Date,
): Promise<void> {
  const kept = { body_hash: request.bodyHash, response: JSON.stringify(response), created_at: now };
  await tx
    .insertInto('idempotency_keys')
    .values({
      organization_id: request.organizationId,
      method: request.method,
      path: request.path,
      key: request.key,
      ...kept,
    })
    // Only one that is older than what is kept can be in the way.
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'method', 'path', 'key']).doUpdateSet(kept),
    )
    .execute();
}
