import type { CompiledQuery, QueryResult, RawBuilder, Transaction } from 'kysely';
import type { Database } from '../schema/index.ts';
import { prepared } from './prepared.ts';

type Answered = (answer: PromiseSettledResult<QueryResult<unknown>>) => void;

const deferredQueries = new WeakMap<CompiledQuery, Answered>();

/** The result of a deferred statement: available after the next statement or the commit. */
export interface Later<Row> {
  rows: Promise<Row[]>;
}

/**
 * A statement of a transaction whose answer is not needed yet: it goes to Postgres together with the next one, or with the commit, and
 * runs before it. Where it fails, so does that one, with its error. Other processes see no difference but shorter locks. Prepared
 * (prepared.ts).
 */
export async function deferred<Row>(query: RawBuilder<Row>, tx: Transaction<Database>): Promise<Later<Row>> {
  const compiled = query.compile(prepared(tx));
  const { promise: rows, resolve, reject } = Promise.withResolvers<Row[]>();
  // Callers that do not wait for it learn of a failure from the statement that it was sent with.
  rows.catch(() => undefined);
  deferredQueries.set(compiled, (answer) => {
    if (answer.status === 'rejected') reject(answer.reason);
    else resolve(answer.value.rows as Row[]); // The rows are of the query that was compiled above.
  });
  await tx.executeQuery(compiled);
  return { rows };
}

/** Receives the result of a deferred statement; undefined for every other. */
export function deferredAnswer(query: CompiledQuery): Answered | undefined {
  return deferredQueries.get(query);
}
