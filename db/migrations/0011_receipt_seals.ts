import { sql, type Kysely } from 'kysely';

/** Hash trees over the receipts of each day, signed. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
create table receipt_seal_key (
  is_only boolean primary key default true check (is_only),
  private_key bytea not null,
  created_at timestamptz not null
);

create table receipt_seals (
  id uuid primary key default new_id(),
  organization_id uuid not null references organizations (id),
  -- Without gaps: each seal names the one before.
  number integer not null check (number >= 1),
  day date not null,
  statement text not null,
  signature bytea not null,
  -- The calls and the refused recipients, in the order of the leaves, and their hashes of 32 bytes each.
  subject_ids uuid[] not null,
  hashes bytea not null,
  created_at timestamptz not null,
  unique (organization_id, number),
  check (length(hashes) = 32 * cardinality(subject_ids))
);
create index receipt_seals_newest_first on receipt_seals (organization_id, created_at desc, id desc);
create index receipt_seals_by_subject on receipt_seals using gin (subject_ids);
create trigger seals_stay before update or delete on receipt_seals
  for each row execute function refuse_change_of_ledger();

-- The day that is sealed next, and what was sealed of it last.
create table receipt_seal_progress (
  organization_id uuid primary key references organizations (id),
  day date not null,
  part text not null default 'late' check (part in ('late', 'calls', 'refusals')),
  after_at timestamptz not null default '-infinity',
  after_id uuid not null default '00000000-0000-0000-0000-000000000000'
);

-- Calls that were not over when their day was sealed.
create table unsealed_calls (
  organization_id uuid not null,
  call_id uuid not null,
  primary key (organization_id, call_id)
);

-- What hides the number of a call in its leaf. It is given out with the receipt, and says nothing of other calls.
create function receipt_salt(call_id uuid) returns text language sql stable as $$
  select encode(sha256(key || convert_to('receipt ' || call_id::text, 'UTF8')), 'hex') from erasure_key
$$;
`;
