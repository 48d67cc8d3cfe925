import { createHash } from 'node:crypto';
import { CompiledQuery, type Kysely, type KyselyPlugin } from 'kysely';
import type { Database } from '../schema/index.ts';

const preparedQueries = new WeakSet<CompiledQuery['queryId']>();
const names = new Map<string, string>();

const plugin: KyselyPlugin = {
  transformQuery({ node, queryId }) {
    preparedQueries.add(queryId);
    return node;
  },
  transformResult: ({ result }) => Promise.resolve(result),
};

/**
 * Prepares statements that a process runs repeatedly. On each connection, Postgres parses such a statement once and plans it every few seconds, or at
 * each execution if the plan depends on the values (any-length.ts prevents that). Use it for statements whose text never changes and whose columns
 * are listed: a migration that changes the types of the result invalidates it on each connection.
 */
export function prepared<Of extends Kysely<Database>>(db: Of): Of {
  return db.withPlugin(plugin) as Of; // The plugin changes neither kind nor tables.
}

/** The same for the most frequent statements, stored as text to avoid compiling a template each time. */
export function preparedText(text: string, parameters: readonly unknown[]): CompiledQuery {
  const query = CompiledQuery.raw(text, [...parameters]);
  preparedQueries.add(query.queryId);
  return query;
}

/** The name of the prepared statement on a connection; undefined if the statement is not prepared. */
export function statementName({ queryId, sql }: CompiledQuery): string | undefined {
  if (!preparedQueries.has(queryId)) return undefined;
  let name = names.get(sql);
  if (name === undefined) {
    name = createHash('sha256').update(sql).digest('base64url').slice(0, 22);
    names.set(sql, name);
  }
  return name;
}
