import type { Tx } from '../transaction.ts';
import { type IdempotentRequest, storedKey } from './idempotency-key.ts';

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
