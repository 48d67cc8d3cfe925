import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ExtractedText, ExtractionFailure, FileKind, Passage } from '@outdial/core';
import type { Db } from '../connect.ts';
import { type Executor, inTransaction, type Tx } from '../transaction.ts';

/** One worker's right to extract a document, until it runs out or is handed back. */
export interface IngestionLease {
  leaseId: string;
  documentId: string;
  organizationId: string;
  knowledgeBaseId: string;
  fileKey: string;
  fileType: FileKind;
  sizeBytes: number;
}

/**
 * Takes the document of an item for extraction: one that waits, or one whose worker has died. Nothing where
 * another has it, where it is done, or where the item is gone: then there is nothing to do.
 */
export async function claimDocument(
  db: Executor,
  { itemId, leaseSeconds }: { itemId: string; leaseSeconds: number },
): Promise<IngestionLease | undefined> {
  const { rows } = await sql<IngestionLease>`
    update knowledge_base_documents d
    set status = 'processing', attempts = attempts + 1, pages_done = 0, page_count = null,
        lease_id = ${randomUUID()}, lease_expires_at = engine_now() + make_interval(secs => ${leaseSeconds}),
        updated_at = engine_now()
    from knowledge_base_items i
    where i.id = ${itemId} and d.id = i.document_id
      and (d.status = 'pending' or (d.status = 'processing' and d.lease_expires_at < engine_now()))
    returning d.lease_id as "leaseId", d.id as "documentId", d.organization_id as "organizationId",
      d.knowledge_base_id as "knowledgeBaseId", d.file_key as "fileKey", d.file_type as "fileType",
      d.size_bytes::float8 as "sizeBytes"`.execute(db);
  return rows[0];
}

/** Prolongs the lease and shows how far it is. False once the lease is lost: the work must stop. */
export async function renewLease(
  db: Executor,
  lease: IngestionLease,
  progress: { leaseSeconds: number; pagesDone: number; pagesTotal: number | null },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update knowledge_base_documents
    set lease_expires_at = engine_now() + make_interval(secs => ${progress.leaseSeconds}),
        pages_done = ${progress.pagesDone}, page_count = ${progress.pagesTotal}, updated_at = engine_now()
    where id = ${lease.documentId} and lease_id = ${lease.leaseId}`.execute(db);
  return numAffectedRows === 1n;
}

/** The extraction failed for good. False where the lease was lost; then nothing has changed. */
export async function failDocument(
  db: Executor,
  lease: IngestionLease,
  failure: ExtractionFailure,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update knowledge_base_documents
    set status = 'failed', error_code = ${failure.code}, error = ${failure.message},
        lease_id = null, lease_expires_at = null, updated_at = engine_now()
    where id = ${lease.documentId} and lease_id = ${lease.leaseId}`.execute(db);
  return numAffectedRows === 1n;
}

/** Hands the document back untouched, so that another worker takes it at once. Burns no attempt. */
export async function releaseDocument(db: Executor, lease: IngestionLease): Promise<void> {
  await sql`
    update knowledge_base_documents
    set status = 'pending', attempts = attempts - 1, lease_id = null, lease_expires_at = null,
        published_at = engine_now() - interval '1 day', updated_at = engine_now()
    where id = ${lease.documentId} and lease_id = ${lease.leaseId}`.execute(db);
}

/**
 * Writes the text and its index and makes the document ready, all in one transaction: a worker that dies in
 * the middle leaves nothing, and one that lost its lease writes nothing. False in the latter case.
 */
export function saveExtraction(db: Db, lease: IngestionLease, text: ExtractedText): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { numAffectedRows } = await sql`
      update knowledge_base_documents
      set status = 'ready', page_count = ${text.pages.length}, pages_done = ${text.pages.length},
          lease_id = null, lease_expires_at = null, updated_at = engine_now()
      where id = ${lease.documentId} and lease_id = ${lease.leaseId}`.execute(tx);
    if (numAffectedRows !== 1n) return false;
    for (const batch of batches(text.pages)) await insertPages(tx, lease, batch);
    for (const batch of batches(text.passages)) await insertPassages(tx, lease, batch);
    await insertLanguages(tx, lease, text.passages);
    return true;
  });
}

const ROWS_PER_STATEMENT = 500;

interface Batch<T> {
  first: number;
  rows: readonly T[];
}

function* batches<T>(rows: readonly T[]): Generator<Batch<T>> {
  for (let first = 0; first < rows.length; first += ROWS_PER_STATEMENT) {
    yield { first, rows: rows.slice(first, first + ROWS_PER_STATEMENT) };
  }
}

async function insertPages(tx: Tx, lease: IngestionLease, { first, rows }: Batch<string>): Promise<void> {
  await sql`
    insert into knowledge_base_pages (organization_id, knowledge_base_id, document_id, number, text)
    select ${lease.organizationId}, ${lease.knowledgeBaseId}, ${lease.documentId}, ${first}::integer + n, text
    from unnest(${rows}::text[]) with ordinality as page(text, n)`.execute(tx);
}

async function insertPassages(tx: Tx, lease: IngestionLease, { first, rows }: Batch<Passage>): Promise<void> {
  await sql`
    with passages as (
      select ${first}::integer + n::integer - 1 as position, page, text, search_text,
        -- A server may know fewer languages than newer ones do.
        case when exists (select from pg_ts_config where cfgname = search_config) then search_config
             else 'simple' end as search_config
      from unnest(${rows.map((row) => row.page)}::integer[], ${rows.map((row) => row.text)}::text[],
                  ${rows.map((row) => row.searchText)}::text[], ${rows.map((row) => row.searchConfig)}::text[])
        with ordinality as passage(page, text, search_text, search_config, n)
    ), kept as (
      insert into knowledge_base_passages
        (organization_id, knowledge_base_id, document_id, position, page, search_config, text)
      select ${lease.organizationId}, ${lease.knowledgeBaseId}, ${lease.documentId}, position, page,
        search_config, text
      from passages
    )
    insert into knowledge_base_index (knowledge_base_id, document_id, position, search)
    select ${lease.knowledgeBaseId}, ${lease.documentId}, position,
      to_tsvector(search_config::regconfig, coalesce(search_text, text))
        || array_to_tsvector(array[${`kb:${lease.knowledgeBaseId}`}])
    from passages`.execute(tx);
}

async function insertLanguages(tx: Tx, lease: IngestionLease, passages: readonly Passage[]): Promise<void> {
  // In one fixed order, so that two documents of a base never wait for each other in a circle.
  const configs = [...new Set(passages.map((passage) => passage.searchConfig))].toSorted();
  await sql`
    insert into knowledge_base_languages (organization_id, knowledge_base_id, search_config)
    select distinct ${lease.organizationId}::uuid, ${lease.knowledgeBaseId}::uuid,
      case when exists (select from pg_ts_config where cfgname = config) then config else 'simple' end as known
    from unnest(${configs}::text[]) as config
    order by known
    on conflict do nothing`.execute(tx);
}
