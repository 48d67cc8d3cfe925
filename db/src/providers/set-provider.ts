import { sql } from 'kysely';
import type { JsonObject } from '../schema/columns.ts';
import { afterEverySlot } from '../engine/slots.ts';
import type { Executor } from '../transaction.ts';

/** Omitted fields stay as they are; null removes a limit. `settings` are merged into the existing ones. */
export interface ProviderChanges {
  adapter?: string | undefined;
  maxLines?: number | null | undefined;
  callsPerSecond?: number | null | undefined;
  /** Defaults of a new provider. */
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
        ...(callsPerSecond !== undefined && slotsOf(callsPerSecond)),
        settings: sql`providers.settings || ${settings}::jsonb`,
        updated_at: now,
      }),
    )
    .returning(['name', 'adapter', 'max_lines', 'calls_per_second'])
    .executeTakeFirstOrThrow();
}

/** Another pace makes the slots void that were handed out under the earlier one. A pace that is taken away forbids nothing. */
function slotsOf(callsPerSecond: number | null) {
  const isStricter = sql<boolean>`${callsPerSecond}::float8 is not null
    and providers.calls_per_second is distinct from ${callsPerSecond}::float8`;
  const fromThenOn = (column: string) =>
    sql<Date | null>`case when ${isStricter} then ${afterEverySlot} else ${sql.ref(`providers.${column}`)} end`;
  return { slots_from: fromThenOn('slots_from'), next_slot_at: fromThenOn('next_slot_at') };
}

/** Without their settings, which may hold secrets. */
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
