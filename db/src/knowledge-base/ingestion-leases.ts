import { sql } from 'kysely';
import type { ExtractionFailure, FileKind } from '@outdial/core';
import type { Executor } from '../transaction.ts';

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
  /** Its extraction was ended once for taking long while others waited: it is not hurried again. */
  isSlow: boolean;
}

/** How far a leased document is. */
export interface LeaseProgress {
  lease: IngestionLease;
  pagesDone: number;
  pagesTotal: number | null;
}

/**
 * Prolongs leases and shows how far they are. Returns the ids of those that are held still; the work on the others must stop. One that
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

/** The extraction failed for good. False if the lease was lost; then nothing has changed. */
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

/** Hands documents back untouched, so that another worker takes them at once; `slow` ones wait for a place without hurry. Burns no attempt. */
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
