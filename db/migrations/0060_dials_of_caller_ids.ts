import { sql, type Kysely } from 'kysely';

/**
 * The gate writes the instant of a dial into a column that no index has, and moves `used_at` only if the claim waited long for its gate: then the row is
 * updated in place, and no index is written. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table caller_id_uses add column dialed_at timestamptz`,
  `alter table caller_id_uses set (fillfactor = 80)`,
];
