import { sql, type Kysely } from 'kysely';

/**
 * Uploaded files, and the documents of knowledge bases with what a search reads of them. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
create table stored_files (
  key text primary key,
  organization_id uuid not null references organizations (id),
  -- 'uploading' until an item refers to it; 'removing' once nothing does.
  state text not null default 'uploading' check (state in ('uploading', 'kept', 'removing')),
  state_since timestamptz not null default engine_now(),
  unique (organization_id, key)
);
create index stored_files_to_remove on stored_files (state_since) where state <> 'kept';

-- The default store. No foreign key: a store knows keys only.
create table file_chunks (
  key text not null,
  position integer not null check (position >= 0),
  bytes bytea not null,
  primary key (key, "position")
);
alter table file_chunks alter column bytes set storage external;

create table knowledge_bases (
  id uuid primary key default new_id(),
  organization_id uuid not null references organizations (id),
  name text not null check (name <> ''),
  description text not null default '',
  item_count integer not null default 0 check (item_count >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (organization_id, id)
);
create index knowledge_bases_newest_first on knowledge_bases (organization_id, created_at desc, id desc);

-- Documents become ready or fail in several statements, and numbers are suppressed in several ways: triggers tell of all of them.
create function write_document_events() returns trigger language plpgsql as $$
begin
  insert into outbox (organization_id, type, data, created_at)
  select i.organization_id, 'knowledge_base_item.' || new.status, jsonb_strip_nulls(jsonb_build_object(
    'knowledge_base_id', i.knowledge_base_id, 'item_id', i.id, 'name', i.name, 'status', new.status, 'error', new.error)),
    engine_now()
  from knowledge_base_items i
  where i.organization_id = new.organization_id and i.knowledge_base_id = new.knowledge_base_id
    and i.document_id = new.id;
  return null;
end $$;

create table knowledge_base_documents (
  id uuid primary key default new_id(),
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  sha256 bytea not null check (length(sha256) = 32),
  size_bytes bigint not null check (size_bytes > 0),
  file_type text not null check (file_type in ('PDF', 'TXT')),
  file_key text not null unique,
  status text not null default 'pending' check (status in ('pending', 'processing', 'ready', 'failed')),
  error_code text,
  error text,
  page_count integer check (page_count >= 0),
  -- Times that a worker has begun with it.
  attempts integer not null default 0 check (attempts >= 0),
  lease_id uuid,
  lease_expires_at timestamptz,
  -- When a pending document was last put into the queue.
  published_at timestamptz not null default engine_now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (organization_id, knowledge_base_id, id),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade,
  foreign key (organization_id, file_key) references stored_files (organization_id, key),
  check ((status = 'processing') = (lease_id is not null)),
  check ((lease_id is null) = (lease_expires_at is null)),
  check ((status = 'failed') = (error is not null)),
  check ((error is null) = (error_code is null)),
  check (status <> 'ready' or page_count is not null)
) with (fillfactor = 70);
-- A content that failed may be uploaded again, and is then tried again.
create unique index knowledge_base_documents_one_per_content on knowledge_base_documents (knowledge_base_id, sha256) where status <> 'failed';
create index knowledge_base_documents_pending on knowledge_base_documents (published_at) where status = 'pending';
create index knowledge_base_documents_leases on knowledge_base_documents (lease_expires_at) where status = 'processing';
-- Organizations that have something waiting are found by jumping from one to the next, whatever each has.
create index knowledge_base_documents_by_organization on knowledge_base_documents (organization_id, published_at) where status = 'pending';

create trigger knowledge_base_documents_events after update of status on knowledge_base_documents
  for each row when (new.status in ('ready', 'failed') and new.status <> old.status) execute function write_document_events();

create table knowledge_base_items (
  id uuid primary key default new_id(),
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  name text not null check (name <> ''),
  notes text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade,
  foreign key (organization_id, knowledge_base_id, document_id)
    references knowledge_base_documents (organization_id, knowledge_base_id, id) on delete cascade
);
create index knowledge_base_items_newest_first on knowledge_base_items (knowledge_base_id, created_at desc, id desc);
create index knowledge_base_items_by_document on knowledge_base_items (document_id);

-- The text, apart from the rows that lists read.
create table knowledge_base_pages (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  number integer not null check (number >= 1),
  text text not null,
  primary key (document_id, number),
  foreign key (organization_id, knowledge_base_id, document_id)
    references knowledge_base_documents (organization_id, knowledge_base_id, id) on delete cascade
);

create table knowledge_base_passages (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  position integer not null check (position >= 0),
  page integer not null check (page >= 1),
  -- A name, not regconfig: pg_upgrade refuses tables with that type.
  search_config text not null,
  text text not null,
  primary key (knowledge_base_id, document_id, "position"),
  foreign key (organization_id, knowledge_base_id, document_id)
    references knowledge_base_documents (organization_id, knowledge_base_id, id) on delete cascade
);

-- Only what a search reads of every passage that it weighs, so that those reads stay few. The lexeme 'kb:<id>' is part of each vector: the index
-- then finds the passages of one knowledge base without a second one.
create table knowledge_base_index (
  knowledge_base_id uuid not null,
  document_id uuid not null,
  position integer not null,
  search tsvector not null,
  primary key (knowledge_base_id, document_id, "position"),
  foreign key (knowledge_base_id, document_id, "position")
    references knowledge_base_passages (knowledge_base_id, document_id, "position") on delete cascade
) with (toast_tuple_target = 8160);
alter table knowledge_base_index alter column search set storage main;
create index knowledge_base_index_search on knowledge_base_index using gin (search);

-- The languages of a knowledge base: a question is understood in each of them.
create table knowledge_base_languages (
  organization_id uuid not null,
  knowledge_base_id uuid not null,
  search_config text not null,
  primary key (knowledge_base_id, search_config),
  foreign key (organization_id, knowledge_base_id) references knowledge_bases (organization_id, id) on delete cascade
);

-- How much each organization keeps, held to its limit under the row's lock.
create table knowledge_base_usage (
  organization_id uuid primary key references organizations (id),
  bytes_used bigint not null default 0 check (bytes_used >= 0)
) with (fillfactor = 50);
`;
