import { sql, type Kysely } from 'kysely';

/** What calls say before anything else, and whether they are recorded, by where the person may be; `*` is everywhere. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table disclosures (
      organization_id uuid not null references organizations (id),
      jurisdiction text not null,
      language text not null,
      text text not null,
      updated_at timestamptz not null,
      primary key (organization_id, jurisdiction, language)
    )`.execute(db);
  await sql`
    create table recording_rules (
      organization_id uuid not null references organizations (id),
      jurisdiction text not null,
      mode text not null check (mode in ('off', 'announced', 'on')),
      updated_at timestamptz not null,
      primary key (organization_id, jurisdiction)
    )`.execute(db);
}
