import { sql } from 'kysely';
import type { JsonObject } from '../schema.ts';
import type { Executor } from '../transaction.ts';

/** Keeps everyone from dialing through a provider until an instant; never shortens a pause that is already there. */
export async function closeProvider(
  db: Executor,
  args: { provider: string; until: Date; reason: string },
): Promise<void> {
  await sql`
    update providers set closed_until = ${args.until}, closed_reason = ${args.reason}, updated_at = engine_now()
    where name = ${args.provider} and (closed_until is null or closed_until < ${args.until})`.execute(db);
}

/** Makes sure that a provider's row exists, with the limits it has; a row that is there is left as it is. */
export async function ensureProvider(db: Executor, args: { name: string; adapter: string }): Promise<void> {
  await db
    .insertInto('providers')
    .values({ name: args.name, adapter: args.adapter, settings: '{}' })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

export interface ProviderAdapterRow {
  name: string;
  adapter: string;
  settings: JsonObject;
}

/** All providers of the installation, with what their adapters are built from. */
export async function listProviderAdapters(db: Executor): Promise<ProviderAdapterRow[]> {
  return await db.selectFrom('providers').select(['name', 'adapter', 'settings']).orderBy('name').execute();
}
