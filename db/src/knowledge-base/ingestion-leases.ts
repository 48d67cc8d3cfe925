import { sql } from 'kysely';
import type { ExtractionFailure, FileKind } from '@outdial/core';
import type { Executor } from '../transaction.ts';

/** One worker's right to extract a document until the lease expires or is released. */
export interface IngestionLease {
  leaseId: string;
  documentId: string;
  /** An item with this content. */
  itemId: string | null;
  organizationId: string;
  knowledgeBaseId: string;
  fileKey: string;
  fileType: FileKind;
  sizeBytes: number;
  /** Whether the document was returned once because it took long while others waited. It is not interrupted again. */
  isSlow: boolean;
}

export interface LeaseProgress {
  lease: IngestionLease;
  pagesDone: number;
  pagesTotal: number | null;
}

/**
 * Renews leases and saves the progress. Returns the ids of leases that are still valid; work under others must stop. Does not wait for a document
 * that is being saved, whose lease is valid.
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

/** Records that the extraction failed finally. False if the lease was lost. */
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

/** Returns documents to the queue, so that another worker claims them at once. `slow` ones wait for a free extractor. Burns no attempt. */
export async function releaseDocuments(
  db: Executor,
  leases: readonly IngestionLease[],
  { slow = false }: { slow?: boolean } = {},
): Promise<void> {
  await sql`
    update knowledge_base_documents d
    set status = 'pending', attempts = attempts - 1, lease_id = null, lease_expires_at = null,
        published_at = engine_now() - interval '1 day', is_slow = is_slow or ${slow}, updated_at = engine_now()
    from unnest(${leases.map((lease) => lease.documentId)}::uuid[], ${leases.map((lease) => lease.leaseId)}::uuid[])
      as released(id, lease_id)
    where d.id = released.id and d.lease_id = released.lease_id`.execute(db);
}
