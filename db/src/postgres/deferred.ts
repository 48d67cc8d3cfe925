import type { CompiledQuery, QueryResult, RawBuilder, Transaction } from 'kysely';
import type { Database } from '../schema/index.ts';
import { prepared } from './prepared.ts';

type Answered = (answer: PromiseSettledResult<QueryResult<unknown>>) => void;

const deferredQueries = new WeakMap<CompiledQuery, Answered>();

/** The result of a deferred statement, which resolves after the next statement or the commit. */
export interface Later<Row> {
  rows: Promise<Row[]>;
}

/**
 * Sends a statement whose result is not needed yet together with the next one or the commit, to save a round trip and hold locks for a shorter
 * time. If it fails, the next one fails with its error. Uses a prepared statement (prepared.ts).
 */
export async function deferred<Row>(query: RawBuilder<Row>, tx: Transaction<Database>): Promise<Later<Row>> {
  const compiled = query.compile(prepared(tx));
  const { promise: rows, resolve, reject } = Promise.withResolvers<Row[]>();
  // The statement that this one was sent with reports a failure.
  rows.catch(() => undefined);
  deferredQueries.set(compiled, (answer) => {
    if (answer.status === 'rejected') reject(answer.reason);
    else resolve(answer.value.rows as Row[]); // The rows are of the query that was compiled above.
  });
  await tx.executeQuery(compiled);
  return { rows };
}

/** Undefined for a statement that is not deferred. */
export function deferredAnswer(query: CompiledQuery): Answered | undefined {
  return deferredQueries.get(query);
}
