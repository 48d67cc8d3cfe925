import { sql } from 'kysely';
import type { ExtractionFailure, FileKind } from '@outdial/core';
import { type Executor, retryVictims } from '../transaction.ts';

/** One worker's right to extract a document, until it runs out or is handed back. */
export interface IngestionLease {
  leaseId: string;
  documentId: string;
  /** One that has this content. */
  itemId: string | null;
  organizationId: string;
  knowledgeBaseId: string;
  fileKey: string;
  fileType: FileKind;
  sizeBytes: number;
}

/** What may be taken together. */
export interface ClaimBatch {
  documents: number;
  /** Larger documents are taken one by one. */
  smallBytes: number;
}

export interface ClaimRequest {
  /** Its document, whichever it is; where it is small, others come with it. Where `anySmall`, only if it is one of those. */
  itemId: string;
  /** Small documents are wanted, whether or not that of the item is to be had. */
  anySmall: boolean;
  leaseSeconds: number;
  batch: ClaimBatch;
}

export interface ClaimedDocuments {
  leases: IngestionLease[];
  /** There are further small ones that nobody had taken. */
  moreWait: boolean;
}

/** Of what waits, a claim takes half at most, so that another worker has the rest. */
const WORKERS_SHARE = 2;
/** So many are taken all the same: less is not worth the parting. */
const FEWEST = 4;

/**
 * Takes the document of an item for extraction: one that waits, or one whose worker has died. Nothing where another has it,
 * where it is done, or where the item is gone: then there is nothing to do.
 *
 * Small ones are taken together, the oldest that wait. Those that have been tried before are taken alone: whatever it was that ended
 * their worker shall end no other document's.
 */
export async function claimDocuments(
  db: Executor,
  { itemId, anySmall, leaseSeconds, batch }: ClaimRequest,
): Promise<ClaimedDocuments> {
  const { rows } = await retryVictims(() =>
    sql<IngestionLease & { moreWait: boolean }>`
      with asked as materialized (
        select d.id, d.attempts = 0 and d.size_bytes <= ${batch.smallBytes} as has_company
        from knowledge_base_items i join knowledge_base_documents d on d.id = i.document_id
        where i.id = ${itemId}
          and (d.status = 'pending' or (d.status = 'processing' and d.lease_expires_at < engine_now()))
          and (not ${anySmall} or (d.attempts = 0 and d.size_bytes <= ${batch.smallBytes}))
        -- One that is being deleted, or sent for anew by the sweep, is not worth waiting for.
        for no key update of d skip locked
      ), waiting as materialized (
        select count(*) as documents from (
          select from knowledge_base_documents
          where status = 'pending' and attempts = 0 and size_bytes <= ${batch.smallBytes}
          limit ${batch.documents * WORKERS_SHARE}) small
      ), others as materialized (
        select id from knowledge_base_documents
        where status = 'pending' and attempts = 0 and size_bytes <= ${batch.smallBytes}
          and coalesce((select has_company from asked), ${anySmall}) and id not in (select id from asked)
        order by published_at limit (
          select least(${batch.documents}, greatest(${FEWEST}, ceil(documents / ${WORKERS_SHARE}::float8)))
            - (select count(*) from asked) from waiting)
        for no key update skip locked
      )
      update knowledge_base_documents d
      set status = 'processing', attempts = attempts + 1, pages_done = 0, page_count = null,
          lease_id = gen_random_uuid(), lease_expires_at = engine_now() + make_interval(secs => ${leaseSeconds}),
          updated_at = engine_now()
      from (select id from asked union all select id from others) taken
      where d.id = taken.id
      returning d.lease_id as "leaseId", d.id as "documentId",
        (select i.id from knowledge_base_items i where i.document_id = d.id limit 1) as "itemId",
        d.organization_id as "organizationId",
        d.knowledge_base_id as "knowledgeBaseId", d.file_key as "fileKey", d.file_type as "fileType",
        d.size_bytes::float8 as "sizeBytes",
        (select documents from waiting) > (select count(*) from others) + (select count(*) from asked) as "moreWait"`.execute(
      db,
    ),
  );
  return { leases: rows, moreWait: rows[0]?.moreWait ?? false };
}

/** How far a leased document is. */
export interface LeaseProgress {
  lease: IngestionLease;
  pagesDone: number;
  pagesTotal: number | null;
}

/**
 * Prolongs leases and shows how far they are. Gives the ids of those that are held still; the work on the others must stop. One that
 * is being written down at this moment is held, and is not waited for.
 */
export async function renewLeases(
  db: Executor,
  leases: readonly LeaseProgress[],
  leaseSeconds: number,
): Promise<Set<string>> {
  const { rows } = await sql<{ leaseId: string }>`
    with held as materialized (
      select d.id, d.lease_id, progress.pages_done, progress.page_count
      from unnest(${leases.map(({ lease }) => lease.documentId)}::uuid[],
                  ${leases.map(({ lease }) => lease.leaseId)}::uuid[],
                  ${leases.map((one) => one.pagesDone)}::integer[], ${leases.map((one) => one.pagesTotal)}::integer[])
        as progress(id, lease_id, pages_done, page_count)
      join knowledge_base_documents d using (id, lease_id)
    ), free as materialized (
      select d.id from held join knowledge_base_documents d using (id, lease_id)
      for no key update of d skip locked
    ), renewed as (
      update knowledge_base_documents d
      set lease_expires_at = engine_now() + make_interval(secs => ${leaseSeconds}),
          pages_done = held.pages_done, page_count = held.page_count, updated_at = engine_now()
      from held join free using (id) where d.id = held.id
    )
    select lease_id as "leaseId" from held`.execute(db);
  return new Set(rows.map((row) => row.leaseId));
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

/** Hands documents back untouched, so that another worker takes them at once. Burns no attempt. */
export async function releaseDocuments(db: Executor, leases: readonly IngestionLease[]): Promise<void> {
  await sql`
    update knowledge_base_documents d
    set status = 'pending', attempts = attempts - 1, lease_id = null, lease_expires_at = null,
        published_at = engine_now() - interval '1 day', updated_at = engine_now()
    from unnest(${leases.map((lease) => lease.documentId)}::uuid[], ${leases.map((lease) => lease.leaseId)}::uuid[])
      as released(id, lease_id)
    where d.id = released.id and d.lease_id = released.lease_id`.execute(db);
}
