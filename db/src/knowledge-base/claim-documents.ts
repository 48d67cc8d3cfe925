import { type ExtractorLoad, READING_BUDGET_MS } from '@outdial/core';
import { type RawBuilder, sql } from 'kysely';
import { type Executor, retryVictims } from '../transaction.ts';
import type { IngestionLease } from './ingestion-leases.ts';

/** The limits of a batch. */
export interface ClaimBatch {
  documents: number;
  /** Larger documents are taken one by one. */
  smallBytes: number;
}

export interface ClaimRequest {
  /** Its document is taken where its organization is the one to be served. Where `anySmall`, only if it is small. */
  itemId: string;
  /** Small documents are wanted, whether or not that of the item is to be had. */
  anySmall: boolean;
  /**
   * Of the worker's extractor. Documents that are known to take long are taken where a place is free, those of organizations that used up
   * their reading time where the places are not stuck.
   */
  load: ExtractorLoad;
  leaseSeconds: number;
  batch: ClaimBatch;
}

export interface ClaimedDocuments {
  leases: IngestionLease[];
  /** There are further small ones that are not claimed. */
  moreWait: boolean;
}

/** Of what waits, a claim takes half at most, so that another worker has the rest. */
const WORKERS_SHARE = 2;
/** So many are taken all the same: less is not worth the parting. */
const FEWEST = 4;
/** The assumed cost of a document while it is read, since its real time is not known yet. */
const UNREAD_DOCUMENT_MS = 100;

/**
 * Takes a document for extraction: one that waits, or one whose worker has died. Served is the organization that had least of the
 * readers' time lately; what it wants is the document that is asked for, where that is one of its own, and else its oldest. Where there
 * is none of these, the one that is asked for. Nothing where another worker has it, where it is done, or where the item is gone: then
 * there is nothing to do.
 *
 * Small ones are taken together: those of that organization, and then the oldest that wait. Those that have been tried before are taken
 * alone: whatever it was that ended their worker shall end no other document's.
 */
export async function claimDocuments(db: Executor, request: ClaimRequest): Promise<ClaimedDocuments> {
  const fair = await claim(db, request, { isFair: true });
  // Another worker took what this one had chosen at the same moment.
  return fair.leases.length > 0 ? fair : claim(db, request, { isFair: false });
}

async function claim(
  db: Executor,
  { itemId, anySmall, load, leaseSeconds, batch }: ClaimRequest,
  { isFair }: { isFair: boolean },
): Promise<ClaimedDocuments> {
  const isSmall = sql`attempts = 0 and not is_slow and size_bytes <= ${batch.smallBytes}`;
  const maySlow = load === 'free';
  // Where one is read at a time, those behind it are better left to workers that are free.
  const documents = load === 'stuck' ? 1 : batch.documents;
  const hasBudget = (organization: RawBuilder<unknown>) => sql`(${load !== 'stuck'} or not exists (
    select from ingestion_usage u where u.organization_id = ${organization} and ${recentMs} >= ${READING_BUDGET_MS}))`;
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
        order by coalesce(${recentMs}, 0) + coalesce(busy.documents, 0) * ${UNREAD_DOCUMENT_MS}, first.published_at
        limit 1
      ), asked as materialized (
        select d.id from knowledge_base_items i join knowledge_base_documents d on d.id = i.document_id
        where i.id = ${itemId}
          and (d.status = 'pending' or (d.status = 'processing' and d.lease_expires_at < (select engine_now())))
          and d.is_slow <= ${maySlow} and (not ${anySmall} or (${isSmall}))
          and coalesce(d.organization_id = (select organization_id from served), true)
          and ${hasBudget(sql`d.organization_id`)}
        -- One that is being deleted, or published again by the sweep, is not worth waiting for.
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
          limit ${batch.documents * WORKERS_SHARE}) small
      ), candidates as materialized (
        (select id, published_at, 0 as rank from knowledge_base_documents
         where status = 'pending' and ${isSmall} and organization_id = (select organization_id from served)
         order by published_at limit ${batch.documents * WORKERS_SHARE})
        union all
        (select id, published_at, 1 as rank from knowledge_base_documents where status = 'pending' and ${isSmall}
         order by published_at limit ${batch.documents * WORKERS_SHARE})
      ), others as materialized (
        select d.id from knowledge_base_documents d
        join (select id, min(rank) as rank, min(published_at) as published_at from candidates group by id) c on c.id = d.id
        where d.status = 'pending' and coalesce((select has_company from lead), ${anySmall})
          and d.id not in (select id from lead) and ${hasBudget(sql`d.organization_id`)}
        order by c.rank, c.published_at limit (
          select least(${documents}, greatest(${FEWEST}, ceil(documents / ${WORKERS_SHARE}::float8)))
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

/** Of `ingestion_usage u`: halved every minute. */
const recentMs = sql`u.reading_ms * power(0.5, extract(epoch from engine_now() - u.as_of)::float8 / 60)`;

/** Counts time in extraction processes against organizations. */
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
