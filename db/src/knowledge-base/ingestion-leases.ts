import { sql } from 'kysely';
import type { ExtractionFailure, FileKind } from '@outdial/core';
import type { Executor } from '../transaction.ts';

/** One worker's right to extract a document until the lease expires or is released. */
export interface IngestionLease {
  leaseId: string;
  documentId: string;
  itemId: string | null;
  organizationId: string;
  fileKey: string;
  fileType: FileKind;
  sizeBytes: number;
}

/** More organizations are not compared with each other. */
const organizationsAtMost = 1_000;

/** The organizations whose documents wait: from the first one on, and from the one after `after` on, so that none is left out forever. */
export async function organizationsWithDocuments(db: Executor, after: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive waiting as (
      select * from (
        (select organization_id as id from knowledge_base_documents where status = 'pending' and organization_id > ${after}
         order by organization_id limit 1)
        union
        (select organization_id from knowledge_base_documents where status = 'pending' order by organization_id limit 1)
      ) first
      union
      select (select d.organization_id from knowledge_base_documents d
              where d.status = 'pending' and d.organization_id > w.id order by d.organization_id limit 1)
      from waiting w where w.id is not null
    )
    select id from waiting where id is not null limit ${organizationsAtMost}`.execute(db);
  return rows.map((row) => row.id);
}

/** Claims the oldest waiting document of an organization. Null if it has none that is not being claimed, published or deleted. */
export async function claimDocument(
  db: Executor,
  { organizationId, leaseSeconds }: { organizationId: string; leaseSeconds: number },
): Promise<IngestionLease | null> {
  const { rows } = await sql<IngestionLease>`
    with oldest as materialized (
      select id from knowledge_base_documents
      where status = 'pending' and organization_id = ${organizationId}
      order by published_at limit 1 for no key update skip locked
    )
    update knowledge_base_documents d
    set status = 'processing', attempts = attempts + 1, lease_id = gen_random_uuid(),
        updated_at = engine_now(),
        lease_expires_at = engine_now() + make_interval(secs => ${leaseSeconds})
    from oldest where d.id = oldest.id
    returning d.lease_id as "leaseId", d.id as "documentId",
      (select i.id from knowledge_base_items i where i.document_id = d.id limit 1) as "itemId",
      d.organization_id as "organizationId", d.file_key as "fileKey", d.file_type as "fileType", d.size_bytes::float8 as "sizeBytes"`.execute(
    db,
  );
  return rows[0] ?? null;
}

/** False if the lease was lost; then the work under it must stop. */
export async function renewLease(
  db: Executor,
  lease: IngestionLease,
  leaseSeconds: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update knowledge_base_documents
    set updated_at = engine_now(),
        lease_expires_at = engine_now() + make_interval(secs => ${leaseSeconds})
    where id = ${lease.documentId} and lease_id = ${lease.leaseId}`.execute(db);
  return numAffectedRows === 1n;
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

/** Returns a document to the queue; the sweep publishes its job. Uses no attempt. */
export async function releaseDocument(db: Executor, lease: IngestionLease): Promise<void> {
  await sql`
    update knowledge_base_documents
    set status = 'pending', attempts = attempts - 1, lease_id = null, lease_expires_at = null,
        published_at = engine_now() - interval '1 day', updated_at = engine_now()
    where id = ${lease.documentId} and lease_id = ${lease.leaseId}`.execute(db);
}

/** A document that crashed its worker this often fails. */
const attemptsAtMost = 3;

export interface RecoveredIngestions {
  /** Documents of dead workers that are back in the queue. */
  returned: number;
  /** Documents whose workers died repeatedly. */
  failed: number;
}

/** Returns documents with expired leases to the queue, or fails them after some attempts. */
export async function recoverIngestions(db: Executor, limit: number): Promise<RecoveredIngestions> {
  const { rows } = await sql<{ status: string; count: number }>`
    with expired as (
      select id from knowledge_base_documents
      where status = 'processing' and lease_expires_at < (select engine_now())
      order by lease_expires_at limit ${limit} for update skip locked
    ), recovered as (
      update knowledge_base_documents d
      set status = case when attempts >= ${attemptsAtMost} then 'failed' else 'pending' end,
          error_code = case when attempts >= ${attemptsAtMost} then 'interrupted' end,
          error = case when attempts >= ${attemptsAtMost}
            then 'The extraction was interrupted ' || attempts || ' times; upload the file again to try once more' end,
          lease_id = null, lease_expires_at = null, updated_at = engine_now(),
          -- So that it is published at once.
          published_at = engine_now() - interval '1 day'
      from expired where d.id = expired.id
      returning d.status
    )
    select status, count(*)::integer as count from recovered group by status`.execute(db);
  const count = (status: string) => rows.find((row) => row.status === status)?.count ?? 0;
  return { returned: count('pending'), failed: count('failed') };
}

/** One item of each document that has waited for `afterSeconds` since its job was published. The job may be lost, and a second one is harmless. */
export async function takeUnpublishedItems(
  db: Executor,
  { afterSeconds, limit }: { afterSeconds: number; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ item_id: string }>`
    with waiting as (
      select id from knowledge_base_documents
      where status = 'pending' and published_at < (select engine_now()) - make_interval(secs => ${afterSeconds})
      order by published_at limit ${limit} for update skip locked
    ), taken as (
      update knowledge_base_documents d set published_at = engine_now()
      from waiting where d.id = waiting.id
      returning d.id
    )
    select (select i.id from knowledge_base_items i where i.document_id = taken.id limit 1) as item_id
    from taken`.execute(db);
  return rows.map((row) => row.item_id).filter((id) => id !== null);
}
