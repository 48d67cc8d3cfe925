import { sql } from 'kysely';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor } from '../transaction.ts';

/** What is not named stays as it is; null takes a limit away. `settings` are merged into those there are. */
export interface ProviderChanges {
  adapter?: string | undefined;
  maxLines?: number | null | undefined;
  callsPerSecond?: number | null | undefined;
  /** Of a provider that is new, where nothing else is said. */
  firstCallsPerSecond?: number | null | undefined;
  settings?: JsonObject | undefined;
}

export interface ProviderRow {
  name: string;
  adapter: string;
  max_lines: number | null;
  calls_per_second: number | null;
}

/** Changes a provider, or makes it; a new one has its own name for an adapter unless one is named. */
export function setProvider(
  db: Executor,
  { name, changes, now }: { name: string; changes: ProviderChanges; now: Date },
): Promise<ProviderRow> {
  const { adapter, maxLines, callsPerSecond } = changes;
  const settings = JSON.stringify(changes.settings ?? {});
  const limits = {
    ...(maxLines !== undefined && { max_lines: maxLines }),
    ...(callsPerSecond !== undefined && { calls_per_second: callsPerSecond }),
  };
  return db
    .insertInto('providers')
    .values({
      name,
      adapter: adapter ?? name,
      settings,
      created_at: now,
      updated_at: now,
      calls_per_second: changes.firstCallsPerSecond ?? null,
      ...limits,
    })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({
        ...(adapter !== undefined && { adapter }),
        ...limits,
        settings: sql`providers.settings || ${settings}::jsonb`,
        updated_at: now,
      }),
    )
    .returning(['name', 'adapter', 'max_lines', 'calls_per_second'])
    .executeTakeFirstOrThrow();
}

export async function listProviderNames(db: Executor): Promise<string[]> {
  const rows = await db.selectFrom('providers').select('name').orderBy('name').execute();
  return rows.map((row) => row.name);
}
