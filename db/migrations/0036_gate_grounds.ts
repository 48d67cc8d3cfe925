import { sql, type Kysely } from 'kysely';

/**
 * What receipts are made of. Frozen: a change is a new migration.
 *
 * `gate_grounds` keeps the rules and windows under which gates decide, once for all claims that share them: its id is a hash of what it
 * says. It is written before a gate that names it. A call names its grounds, and keeps the counts of its person where there are caps.
 * Refusals are counted by recipient, and the last one is kept whole.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table gate_grounds (
     id uuid primary key,
     organization_id uuid not null references organizations (id),
     said jsonb not null check (jsonb_typeof(said) = 'object'),
     created_at timestamptz not null default now()
   )`,
  `create trigger grounds_stay before update on gate_grounds
     for each row execute function refuse_change_of_ledger()`,
  // Without foreign keys: a gate would look each of them up.
  `alter table calls add column grounds_id uuid, add column person_check jsonb`,
  `create table gate_refusals (
     recipient_id uuid primary key,
     organization_id uuid not null,
     campaign_id uuid not null references campaigns (id) on delete cascade,
     -- {"person_capped": 3}
     counts jsonb not null,
     first_at timestamptz not null,
     last_at timestamptz not null,
     last_reason text not null,
     last_grounds_id uuid,
     last_person_check jsonb
   ) with (fillfactor = 80)`,
  `create index gate_refusals_by_campaign on gate_refusals (campaign_id)`,
];
