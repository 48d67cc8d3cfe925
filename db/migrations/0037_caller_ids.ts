import { sql, type Kysely } from 'kysely';

/**
 * Numbers that an organization calls from. Frozen: a change is a new migration.
 *
 * `caller_id_uses` has a permit for each claim that may dial from a caller id, under the id of the claim, which is that of its call: what is
 * counted per hour and day, and which caller id called somebody last. A caller id that rests, retires or goes waits for the gates that are
 * open, like a suppression (migration 0015): once that is answered, no gate opens for it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table organizations
     add column has_caller_ids boolean not null default false,
     add column caller_id_rules jsonb not null default '{}' check (jsonb_typeof(caller_id_rules) = 'object')`,
  `create table caller_ids (
     id uuid primary key default new_id(),
     organization_id uuid not null references organizations (id),
     phone_number text not null,
     country text not null,
     prefixes text[] not null default '{}',
     attestation text check (attestation in ('A', 'B', 'C')),
     calls_per_day integer not null check (calls_per_day > 0),
     calls_per_hour integer check (calls_per_hour > 0),
     warm_up_days integer not null default 0 check (warm_up_days >= 0),
     warm_up_from timestamptz not null,
     state text not null default 'active' check (state in ('active', 'resting', 'retired')),
     state_reason text,
     resting_until timestamptz,
     created_at timestamptz not null,
     updated_at timestamptz not null,
     unique (organization_id, phone_number),
     unique (organization_id, id),
     check (resting_until is null or state = 'resting')
   )`,
  `create index caller_ids_newest_first on caller_ids (organization_id, created_at desc, id desc)`,
  `create table caller_id_uses (
     claim_id uuid primary key,
     organization_id uuid not null,
     caller_id uuid not null,
     phone_number text not null,
     used_at timestamptz not null,
     foreign key (organization_id, caller_id) references caller_ids (organization_id, id) on delete cascade
   )`,
  // Which one a call was made from: its receipt says so when the permit is long forgotten.
  `alter table calls add column caller_id uuid`,
  `create index caller_id_uses_counted on caller_id_uses (caller_id, used_at)`,
  `create index caller_id_uses_of_person on caller_id_uses (organization_id, phone_number, used_at desc)`,
  `create trigger caller_ids_changed after update on caller_ids referencing new table as changed
     for each statement execute function hold_suppressions()`,
  `create trigger caller_ids_gone after delete on caller_ids referencing old table as changed
     for each statement execute function hold_suppressions()`,
];
