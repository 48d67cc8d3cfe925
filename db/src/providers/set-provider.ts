import { type Selectable, sql } from 'kysely';
import type { JsonObject } from '../schema/columns.ts';
import type { ProviderTable } from '../schema/engine.ts';
import type { Executor } from '../transaction.ts';

/** Omitted fields do not change; null removes a limit. `settings` are merged into the existing ones. */
export interface ProviderChanges {
  adapter?: string | undefined;
  maxLines?: number | null | undefined;
  callsPerSecond?: number | null | undefined;
  /** Defaults of a new provider. */
  firstCallsPerSecond?: number | null | undefined;
  settings?: JsonObject | undefined;
}

export type ProviderRow = Pick<
  Selectable<ProviderTable>,
  'name' | 'adapter' | 'max_lines' | 'calls_per_second'
>;

/** Updates a provider, or creates it. The adapter of a new provider is by default the one with the provider's name. */
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

/** Without settings, which may contain secrets. */
export function listProviders(db: Executor): Promise<ProviderRow[]> {
  return db
    .selectFrom('providers')
    .select(['name', 'adapter', 'max_lines', 'calls_per_second'])
    .orderBy('name')
    .execute();
}

export async function listProviderNames(db: Executor): Promise<string[]> {
  const rows = await db.selectFrom('providers').select('name').orderBy('name').execute();
  return rows.map((row) => row.name);
}
