import { sql, type Kysely } from 'kysely';

/**
 * Documents are read for the organization that had least of the readers' time lately. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // Its reading took long while others waited: it was ended, and is read again when there is a place without hurry.
  `alter table knowledge_base_documents add column is_slow boolean not null default false`,
  // Organizations that have something waiting are found by jumping from one to the next, whatever each has.
  `create index knowledge_base_documents_by_organization
     on knowledge_base_documents (organization_id, is_slow, published_at) where status = 'pending'`,
  // Time in extraction processes, halved every minute: what was used long ago counts no more.
  `create table ingestion_usage (
     organization_id uuid primary key references organizations (id),
     reading_ms double precision not null check (reading_ms >= 0),
     as_of timestamptz not null
   ) with (fillfactor = 50)`,
];
