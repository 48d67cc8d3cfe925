import { type ExtractorLoad, readingBudgetMs } from '@outdial/core';
import { type RawBuilder, sql } from 'kysely';
import { type Executor, retryVictims } from '../transaction.ts';
import type { IngestionLease } from './ingestion-leases.ts';

export interface ClaimBatch {
  documents: number;
  /** Larger documents are claimed one at a time. */
  smallBytes: number;
}

export interface ClaimRequest {
  /** Its document is claimed if its organization is next, and with `anySmall` only if it is small. */
  itemId: string;
  /** Whether to claim small documents even if that of the item is not available. */
  anySmall: boolean;
  /**
   * The load of the worker's extractor. Slow documents are only claimed if it is free, and those of organizations that have used up their
   * reading time only if it is not stuck.
   */
  load: ExtractorLoad;
  leaseSeconds: number;
  batch: ClaimBatch;
}

export interface ClaimedDocuments {
  leases: IngestionLease[];
  /** Whether more small documents are waiting. */
  moreWait: boolean;
}

/** A claim takes at most half of the waiting documents, so that another worker can take the rest. */
const workersShare = 2;
/** But always this many, because fewer are not worth splitting. */
const fewest = 4;
/** The assumed reading time of a document until it is known. */
const unreadDocumentMs = 100;

/**
 * Claims documents for extraction that wait, or whose worker has died. Serves the organization with the least recent reading time: the requested
 * document if it is one of its own, else its oldest. If no organization can be served, claims the requested one. Claims none if the document is
 * done, deleted, or claimed by another worker.
 *
 * Claims further small documents, first of that organization and then the oldest. Documents that were tried before are claimed alone, so that a
 * document that crashes its worker does not affect others.
 */
export async function claimDocuments(db: Executor, request: ClaimRequest): Promise<ClaimedDocuments> {
  const fair = await claim(db, request, { isFair: true });
  // If another worker claimed the chosen document meanwhile, claims the requested one.
  return fair.leases.length > 0 ? fair : claim(db, request, { isFair: false });
}

async function claim(
  db: Executor,
  { itemId, anySmall, load, leaseSeconds, batch }: ClaimRequest,
  { isFair }: { isFair: boolean },
): Promise<ClaimedDocuments> {
  const isSmall = sql`attempts = 0 and not is_slow and size_bytes <= ${batch.smallBytes}`;
  const maySlow = load === 'free';
  // If the extractor is stuck, leaves other documents to free workers.
  const documents = load === 'stuck' ? 1 : batch.documents;
  const hasBudget = (organization: RawBuilder<unknown>) => sql`(${load !== 'stuck'} or not exists (
    select from ingestion_usage u where u.organization_id = ${organization} and ${recentMs} >= ${readingBudgetMs}))`;
  const taken = sql`(select count(*) from lead) + (select count(*) from others)`;
  const { rows } = await retryVictims(() =>
    sql<IngestionLease & { moreWait: boolean }>`
      with recursive organizations_waiting as (
        (select organization_id from knowledge_base_documents where status = 'pending' and ${isFair}
         order by organization_id limit 1)
        union all
        select (select d.organization_id from knowledge_base_documents d
                where d.status = 'pending' and d.organization_id > w.organization_id order by d.organization_id limit 1)
        from organizations_waiting w where w.organization_id is not null
      ), busy as materialized (
        select organization_id, count(*) as documents from knowledge_base_documents
        where status = 'processing' group by organization_id
      ), served as materialized (
        select w.organization_id, first.id
        from organizations_waiting w
        cross join lateral (
          select d.id, d.published_at from knowledge_base_documents d
          where d.organization_id = w.organization_id and d.status = 'pending' and d.is_slow <= ${maySlow}
            and (not ${anySmall} or is_slow or (${isSmall}))
          order by d.is_slow, d.published_at limit 1) first
        left join ingestion_usage u on u.organization_id = w.organization_id
        left join busy on busy.organization_id = w.organization_id
        where ${hasBudget(sql`w.organization_id`)}
        order by coalesce(${recentMs}, 0) + coalesce(busy.documents, 0) * ${unreadDocumentMs}, first.published_at
        limit 1
      ), asked as materialized (
        select d.id from knowledge_base_items i join knowledge_base_documents d on d.id = i.document_id
        where i.id = ${itemId}
          and (d.status = 'pending' or (d.status = 'processing' and d.lease_expires_at < (select engine_now())))
          and d.is_slow <= ${maySlow} and (not ${anySmall} or (${isSmall}))
          and coalesce(d.organization_id = (select organization_id from served), true)
          and ${hasBudget(sql`d.organization_id`)}
        -- Does not wait for a row that is being deleted, or published again by the sweep.
        for no key update of d skip locked
      ), oldest as materialized (
        select d.id from knowledge_base_documents d
        where d.id = (select id from served) and d.status = 'pending' and not exists (select from asked)
        for no key update of d skip locked
      ), lead as materialized (
        select d.id, ${isSmall} as has_company from knowledge_base_documents d
        where d.id in (select id from asked union all select id from oldest)
      ), waiting as materialized (
        select count(*) as documents from (
          select from knowledge_base_documents where status = 'pending' and ${isSmall}
          limit ${batch.documents * workersShare}) small
      ), candidates as materialized (
        (select id, published_at, 0 as rank from knowledge_base_documents
         where status = 'pending' and ${isSmall} and organization_id = (select organization_id from served)
         order by published_at limit ${batch.documents * workersShare})
        union all
        (select id, published_at, 1 as rank from knowledge_base_documents where status = 'pending' and ${isSmall}
         order by published_at limit ${batch.documents * workersShare})
      ), others as materialized (
        select d.id from knowledge_base_documents d
        join (select id, min(rank) as rank, min(published_at) as published_at from candidates group by id) c on c.id = d.id
        where d.status = 'pending' and coalesce((select has_company from lead), ${anySmall})
          and d.id not in (select id from lead) and ${hasBudget(sql`d.organization_id`)}
        order by c.rank, c.published_at limit (
          select least(${documents}, greatest(${fewest}, ceil(documents / ${workersShare}::float8)))
            - (select count(*) from lead) from waiting)
        for no key update of d skip locked
      )
      update knowledge_base_documents d
      set status = 'processing', attempts = attempts + 1, pages_done = 0, page_count = null,
          lease_id = gen_random_uuid(), lease_expires_at = engine_now() + make_interval(secs => ${leaseSeconds}),
          updated_at = engine_now()
      from (select id from lead union all select id from others) taken
      where d.id = taken.id
      returning d.lease_id as "leaseId", d.id as "documentId",
        (select i.id from knowledge_base_items i where i.document_id = d.id limit 1) as "itemId",
        d.organization_id as "organizationId",
        d.knowledge_base_id as "knowledgeBaseId", d.file_key as "fileKey", d.file_type as "fileType",
        d.size_bytes::float8 as "sizeBytes", d.is_slow as "isSlow",
        (select documents from waiting) > ${taken} as "moreWait"`.execute(db),
  );
  return { leases: rows, moreWait: rows[0]?.moreWait ?? false };
}

/** For `ingestion_usage u`; halves every minute. */
const recentMs = sql`u.reading_ms * power(0.5, extract(epoch from engine_now() - u.as_of)::float8 / 60)`;

/** Adds reading time to organizations. */
export async function chargeReading(db: Executor, used: ReadonlyMap<string, number>): Promise<void> {
  if (used.size === 0) return;
  await retryVictims(() =>
    sql`
      insert into ingestion_usage as u (organization_id, reading_ms, as_of)
      select id, ms, engine_now() from unnest(${[...used.keys()]}::uuid[], ${[...used.values()]}::float8[]) as used(id, ms)
      where exists (select from organizations o where o.id = used.id)
      order by id
      on conflict (organization_id) do update
      set reading_ms = ${recentMs} + excluded.reading_ms, as_of = excluded.as_of`.execute(db),
  );
}
