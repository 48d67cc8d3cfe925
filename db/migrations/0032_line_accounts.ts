import { sql, type Kysely } from 'kysely';

/** What organizations have had of a provider's lines while several wanted them. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Written by whoever holds the provider's row. There is none while one organization alone wants lines.
    create table line_accounts (
      provider text not null references providers (name) on update cascade on delete cascade,
      organization_id uuid not null references organizations (id) on delete cascade,
      weight integer not null,
      -- Seconds of lines for its weight, up to as_of; lines are those that it has had since.
      used double precision not null,
      lines integer not null,
      as_of timestamptz not null,
      seen_at timestamptz not null,
      primary key (provider, organization_id)
    ) with (fillfactor = 50)`.execute(db);
}
