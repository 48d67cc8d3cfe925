import { sql, type Kysely } from 'kysely';

/**
 * The ledger of consents. Frozen: a change is a new migration.
 *
 * Consents and revocations are written once and never changed; a revocation is a row of its own. A revocation waits for the gates that are
 * open, like a suppression (migration 0015): once it has been answered, no gate opens that relies on the consent.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table consents (
     id uuid primary key default new_id(),
     organization_id uuid not null references organizations (id),
     phone_number text not null,
     basis text not null
       check (basis in ('prior_express', 'prior_express_written', 'existing_business', 'transactional', 'inquiry')),
     -- Purposes of campaigns that it covers; null covers all.
     scope text[] check (cardinality(scope) > 0),
     text_shown text,
     source text not null,
     evidence_hash text,
     given_at timestamptz not null,
     expires_at timestamptz check (expires_at > given_at),
     created_by uuid,
     created_at timestamptz not null default now(),
     unique (organization_id, id)
   )`,
  `create index consents_of_person on consents (organization_id, phone_number, given_at desc)`,
  `create index consents_newest_first on consents (organization_id, created_at desc, id desc)`,
  `create table consent_revocations (
     organization_id uuid not null,
     consent_id uuid not null,
     reason text,
     revoked_at timestamptz not null,
     created_by uuid,
     primary key (organization_id, consent_id),
     foreign key (organization_id, consent_id) references consents (organization_id, id) on delete cascade
   )`,
  `create table consent_uses (
     consent_id uuid primary key references consents (id) on delete cascade,
     first_used_at timestamptz not null,
     last_used_at timestamptz not null,
     uses integer not null
   ) with (fillfactor = 70)`,
  `create function refuse_change_of_ledger() returns trigger language plpgsql as $$
   begin
     raise exception 'rows of % are never changed', tg_table_name;
   end $$`,
  `create trigger consents_stay before update on consents for each row execute function refuse_change_of_ledger()`,
  `create trigger revocations_stay before update on consent_revocations
     for each row execute function refuse_change_of_ledger()`,
  // The function of migration 0015: after the rows are written, so that gates wait for the commit of a list and not for the list.
  `create trigger consents_revoked after insert on consent_revocations referencing new table as changed
     for each statement execute function hold_suppressions()`,
  `alter table calls add column consent_id uuid`,
  `alter table campaign_configs
     add column require_consent boolean not null default false,
     add column consent_bases text[] check (cardinality(consent_bases) > 0)`,
];
