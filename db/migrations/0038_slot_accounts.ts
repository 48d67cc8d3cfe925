import { sql, type Kysely } from 'kysely';

/** What organizations have had of the calls per second of a provider, and who wants more. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Written by whoever holds the provider's row. There is none of a provider without a pace.
    create table slot_accounts (
      provider text not null references providers (name) on update cascade on delete cascade,
      organization_id uuid not null references organizations (id) on delete cascade,
      weight integer not null,
      -- Slots of time for its weight.
      used double precision not null,
      seen_at timestamptz not null,
      -- Until when it is expected to take the next slot; in the past where it wants none.
      wants_until timestamptz not null,
      primary key (provider, organization_id)
    ) with (fillfactor = 50)`.execute(db);
}
