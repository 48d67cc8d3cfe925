import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { ExtractedText, ExtractionFailure, FileKind, Passage } from '@outdial/core';
import type { Db } from '../connect.ts';
import { type Executor, inTransaction, retryVictims } from '../transaction.ts';

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
 * Writes the text and its index and makes the document ready, all at once: a worker that dies in the middle leaves
 * nothing, and one that lost its lease writes nothing. False in the latter case.
 */
export function saveExtraction(db: Db, lease: IngestionLease, text: ExtractedText): Promise<boolean> {
  const held = sql`
    update knowledge_base_documents
    set status = 'ready', page_count = ${text.pages.length}, pages_done = ${text.pages.length},
        lease_id = null, lease_expires_at = null, updated_at = engine_now()
    where id = ${lease.documentId} and lease_id = ${lease.leaseId}
    returning id`;
  const [batch, ...further] = inBatches(text);
  // Most documents need one exchange with the server, and no transaction around it.
  if (further.length === 0) return retryVictims(() => writeRows(db, lease, held, batch));
  return inTransaction(db, async (tx) => {
    if (!(await writeRows(tx, lease, held, batch))) return false;
    const stillHeld = sql`select ${lease.documentId}::uuid as id`;
    for (const rows of further) await writeRows(tx, lease, stillHeld, rows);
    return true;
  });
}

const ROWS_PER_STATEMENT = 500;

interface Batch {
  first: number;
  pages: readonly string[];
  passages: readonly Passage[];
}

function inBatches({ pages, passages }: ExtractedText): [Batch, ...Batch[]] {
  const from = (first: number): Batch => ({
    first,
    pages: pages.slice(first, first + ROWS_PER_STATEMENT),
    passages: passages.slice(first, first + ROWS_PER_STATEMENT),
  });
  const batches: [Batch, ...Batch[]] = [from(0)];
  const rows = Math.max(pages.length, passages.length);
  for (let first = ROWS_PER_STATEMENT; first < rows; first += ROWS_PER_STATEMENT) batches.push(from(first));
  return batches;
}

/** Writes pages and passages of the document that `held` gives; false where it gives none, and then nothing is written. */
async function writeRows(
  db: Executor,
  { organizationId, knowledgeBaseId }: IngestionLease,
  held: RawBuilder<unknown>,
  { first, pages, passages }: Batch,
): Promise<boolean> {
  // In one fixed order, so that two documents of a base never wait for each other in a circle.
  const configs = [...new Set(passages.map((passage) => passage.searchConfig))].toSorted();
  const { rows } = await sql<{ documents: number }>`
    with held as (${held}), pages as (
      insert into knowledge_base_pages (organization_id, knowledge_base_id, document_id, number, text)
      select ${organizationId}, ${knowledgeBaseId}, held.id, ${first}::integer + n, text
      from held, unnest(${pages}::text[]) with ordinality as page(text, n)
    ), passages as (
      select held.id as document_id, ${first}::integer + n::integer - 1 as position, page, text, search_text,
        -- A server may know fewer languages than newer ones do.
        case when exists (select from pg_ts_config where cfgname = search_config) then search_config
             else 'simple' end as search_config
      from held, unnest(${passages.map((row) => row.page)}::integer[], ${passages.map((row) => row.text)}::text[],
                        ${passages.map((row) => row.searchText)}::text[],
                        ${passages.map((row) => row.searchConfig)}::text[])
        with ordinality as passage(page, text, search_text, search_config, n)
    ), kept as (
      insert into knowledge_base_passages
        (organization_id, knowledge_base_id, document_id, position, page, search_config, text)
      select ${organizationId}, ${knowledgeBaseId}, document_id, position, page, search_config, text
      from passages
    ), found as (
      insert into knowledge_base_index (knowledge_base_id, document_id, position, search)
      select ${knowledgeBaseId}, document_id, position,
        to_tsvector(search_config::regconfig, coalesce(search_text, text))
          || array_to_tsvector(array[${`kb:${knowledgeBaseId}`}])
      from passages
    ), languages as (
      insert into knowledge_base_languages (organization_id, knowledge_base_id, search_config)
      select distinct ${organizationId}::uuid, ${knowledgeBaseId}::uuid,
        case when exists (select from pg_ts_config where cfgname = config) then config else 'simple' end as known
      from held, unnest(${configs}::text[]) as config
      order by known
      on conflict do nothing
    )
    select count(*)::integer as documents from held`.execute(db);
  return rows[0]?.documents === 1;
}
