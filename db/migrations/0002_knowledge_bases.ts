import { sql, type Kysely } from 'kysely';

/**
 * Knowledge bases, their items, and what was found in them. Frozen: a change is a new migration.
 *
 * An item is what a user uploaded under a name; a document is one content within one knowledge base. Two items
 * with identical bytes share a document, which is extracted once. Bytes live in a file store under a key;
 * `stored_files` knows every key from before its first byte until after its last, so that nothing is ever lost
 * track of, whichever store is used.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table stored_files (
     key text primary key,
     organization_id uuid not null references organizations (id),
     -- 'uploading' until an item refers to it; 'removing' once nothing does.
     state text not null default 'uploading' check (state in ('uploading', 'kept', 'removing')),
     state_since timestamptz not null default engine_now(),
     unique (organization_id, key)
   )`,
  `create index stored_files_to_remove on stored_files (state_since) where state <> 'kept'`,

  // The default store. No foreign key: a store knows keys only.
  `create table file_chunks (
     key text not null,
     position integer not null check (position >= 0),
     bytes bytea not null,
     primary key (key, position)
   )`,
  // PDFs are compressed already: trying again only costs time.
  `alter table file_chunks alter column bytes set storage external`,

  // How much each organization keeps, held to its limit under the row's lock.
  `create table knowledge_base_usage (
     organization_id uuid primary key references organizations (id),
     bytes_used bigint not null default 0 check (bytes_used >= 0)
   ) with (fillfactor = 50)`,

  `create table knowledge_bases (
     id uuid primary key default new_id(),
     organization_id uuid not null references organizations (id),
     name text not null check (name <> ''),
     description text not null default '',
     item_count integer not null default 0 check (item_count >= 0),
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     unique (organization_id, id)
   )`,
  `create index knowledge_bases_newest_first on knowledge_bases (organization_id, created_at desc, id desc)`,

  `create table knowledge_base_documents (
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
     pages_done integer not null default 0 check (pages_done >= 0),
     -- Times that a worker has begun with it.
     attempts integer not null default 0 check (attempts >= 0),
     lease_id uuid,
     lease_expires_at timestamptz,
     -- When a pending document was last put into the queue.
     published_at timestamptz not null default engine_now(),
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     unique (organization_id, knowledge_base_id, id),
     foreign key (organization_id, knowledge_base_id)
       references knowledge_bases (organization_id, id) on delete cascade,
     foreign key (organization_id, file_key) references stored_files (organization_id, key),
     check ((status = 'processing') = (lease_id is not null)),
     check ((lease_id is null) = (lease_expires_at is null)),
     check ((status = 'failed') = (error is not null)),
     check ((error is null) = (error_code is null)),
     check (status <> 'ready' or page_count is not null)
   ) with (fillfactor = 70)`,
  // A content that failed may be uploaded again, and is then tried again.
  `create unique index knowledge_base_documents_one_per_content
     on knowledge_base_documents (knowledge_base_id, sha256) where status <> 'failed'`,
  `create index knowledge_base_documents_pending on knowledge_base_documents (published_at) where status = 'pending'`,
  `create index knowledge_base_documents_leases
     on knowledge_base_documents (lease_expires_at) where status = 'processing'`,

  `create table knowledge_base_items (
     id uuid primary key default new_id(),
     organization_id uuid not null,
     knowledge_base_id uuid not null,
     document_id uuid not null,
     name text not null check (name <> ''),
     notes text,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     foreign key (organization_id, knowledge_base_id)
       references knowledge_bases (organization_id, id) on delete cascade,
     foreign key (organization_id, knowledge_base_id, document_id)
       references knowledge_base_documents (organization_id, knowledge_base_id, id) on delete cascade
   )`,
  `create index knowledge_base_items_newest_first on knowledge_base_items (knowledge_base_id, created_at desc, id desc)`,
  `create index knowledge_base_items_by_document on knowledge_base_items (document_id)`,

  // The text, apart from the rows that lists read.
  `create table knowledge_base_pages (
     organization_id uuid not null,
     knowledge_base_id uuid not null,
     document_id uuid not null,
     number integer not null check (number >= 1),
     text text not null,
     primary key (document_id, number),
     foreign key (organization_id, knowledge_base_id, document_id)
       references knowledge_base_documents (organization_id, knowledge_base_id, id) on delete cascade
   )`,

  `create table knowledge_base_passages (
     organization_id uuid not null,
     knowledge_base_id uuid not null,
     document_id uuid not null,
     position integer not null check (position >= 0),
     page integer not null check (page >= 1),
     -- A name, not regconfig: pg_upgrade refuses tables with that type.
     search_config text not null,
     text text not null,
     primary key (knowledge_base_id, document_id, position),
     foreign key (organization_id, knowledge_base_id, document_id)
       references knowledge_base_documents (organization_id, knowledge_base_id, id) on delete cascade
   )`,
  // Only what a search reads of every passage that it weighs, so that those reads stay few. The lexeme
  // 'kb:<id>' is part of each vector: the index then finds the passages of one knowledge base by itself.
  `create table knowledge_base_index (
     knowledge_base_id uuid not null,
     document_id uuid not null,
     position integer not null,
     search tsvector not null,
     primary key (knowledge_base_id, document_id, position),
     foreign key (knowledge_base_id, document_id, position)
       references knowledge_base_passages (knowledge_base_id, document_id, position) on delete cascade
   )`,
  // Vectors that are compressed or out of line would cost a search that weighs thousands of them too much.
  `alter table knowledge_base_index alter column search set storage main`,
  `alter table knowledge_base_index set (toast_tuple_target = 8160)`,
  `create index knowledge_base_index_search on knowledge_base_index using gin (search)`,
  // The languages of a knowledge base: a question is understood in each of them.
  `create table knowledge_base_languages (
     organization_id uuid not null,
     knowledge_base_id uuid not null,
     search_config text not null,
     primary key (knowledge_base_id, search_config),
     foreign key (organization_id, knowledge_base_id)
       references knowledge_bases (organization_id, id) on delete cascade
   )`,
];
