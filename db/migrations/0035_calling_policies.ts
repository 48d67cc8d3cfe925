import { sql, type Kysely } from 'kysely';

/**
 * Calling policies of organizations, and what they make of campaigns and recipients: `campaigns.calling_policy` is the organization's of now,
 * under which gates judge; `keyed_policy` the one under which all of its recipients have their keys, which are in `timezone`. `place` keeps
 * what a caller said of where somebody is. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const policy = sql`text not null default 'none' check (calling_policy in ('strict', 'standard', 'none'))`;
  await sql`alter table organizations add column calling_policy ${policy}`.execute(db);
  await sql`alter table campaigns add column calling_policy ${policy},
    add column keyed_policy text not null default 'none' check (keyed_policy in ('strict', 'standard', 'none'))`.execute(
    db,
  );
  await sql`create index campaigns_to_key on campaigns (id) where calling_policy <> keyed_policy`.execute(db);
  await sql`alter table campaign_recipients add column place jsonb check (jsonb_typeof(place) = 'object')`.execute(
    db,
  );
}
