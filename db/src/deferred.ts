import type { CompiledQuery, RawBuilder } from 'kysely';
import { prepared } from './prepared.ts';
import type { Tx } from './transaction.ts';

const deferredQueries = new WeakSet<CompiledQuery>();

/**
 * A statement of a transaction whose answer nobody needs: it goes to Postgres together with the next one, or with the commit, and
 * runs before it. Where it fails, so does that one, with its error. Other processes see no difference but shorter locks. Prepared
 * (prepared.ts).
 */
export async function deferred(query: RawBuilder<unknown>, tx: Tx): Promise<void> {
  const compiled = query.compile(prepared(tx));
  deferredQueries.add(compiled);
  await tx.executeQuery(compiled);
}

export function isDeferred(query: CompiledQuery): boolean {
  return deferredQueries.has(query);
}
