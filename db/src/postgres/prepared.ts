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
 * Runs statements that a process runs again and again: each connection has Postgres parse such a one once, and plan it every few
 * seconds, or each time where the plan depends on the values (any-length.ts keeps it from doing so). For a statement whose text is
 * always the same and whose columns are listed one by one: a migration that changes the types of its answer costs each connection.
 */
export function prepared<Of extends Kysely<Database>>(db: Of): Of {
  return db.withPlugin(plugin) as Of; // The plugin changes neither kind nor tables.
}

/** The same for the most frequent statements, which are kept as text: a template would be compiled each time. */
export function preparedText(text: string, parameters: readonly unknown[]): CompiledQuery {
  const query = CompiledQuery.raw(text, [...parameters]);
  preparedQueries.add(query.queryId);
  return query;
}

/** The name under which a connection keeps the statement; undefined if it is run once and forgotten. */
export function statementName({ queryId, sql }: CompiledQuery): string | undefined {
  if (!preparedQueries.has(queryId)) return undefined;
  let name = names.get(sql);
  if (name === undefined) {
    name = createHash('sha256').update(sql).digest('base64url').slice(0, 22);
    names.set(sql, name);
  }
  return name;
}
