import { type RawBuilder, sql } from 'kysely';
import type { ExtractedText, Passage } from '@outdial/core';
import { postgresCode } from '../postgres/error-code.ts';
import { type Db, type Executor, inTransaction, retryVictims } from '../transaction.ts';
import type { IngestionLease } from './ingestion-leases.ts';

export interface Extraction {
  lease: IngestionLease;
  text: ExtractedText;
}

/** Bounds the pages and passages of a statement. */
const rowsPerStatement = 500;

/**
 * Saves texts with their index and makes their documents ready, each document atomically. Skips documents whose lease was lost. Returns the ids of
 * the leases of saved documents.
 */
export async function saveExtractions(db: Db, extractions: readonly Extraction[]): Promise<Set<string>> {
  const saved = new Set<string>();
  for (const batch of inBatches(extractions)) {
    for (const leaseId of await saveBatch(db, batch)) saved.add(leaseId);
  }
  return saved;
}

/**
 * Whether Postgres refused one of the values, so that the others may succeed without it: an invalid or too large value, or a knowledge base that
 * was just deleted (classes 22, 54 and 23 of Postgres's error codes).
 */
export function isRefusedText(error: unknown): boolean {
  return /^(?:22|23|54)/.test(postgresCode(error));
}

/** Whether Postgres will never accept the text, because a value is invalid or too large. */
export function isUnstorableText(error: unknown): boolean {
  return /^(?:22|54)/.test(postgresCode(error));
}

function rowsOf({ text }: Extraction): number {
  return Math.max(text.pages.length, text.passages.length);
}

/** Batches that fit into one statement. A document that needs several statements has its own batch. */
function inBatches(extractions: readonly Extraction[]): Extraction[][] {
  const batches: Extraction[][] = [];
  let rows = Infinity;
  for (const extraction of extractions) {
    rows += rowsOf(extraction);
    const open = batches.at(-1);
    if (open && rows <= rowsPerStatement) {
      open.push(extraction);
    } else {
      batches.push([extraction]);
      rows = rowsOf(extraction);
    }
  }
  return batches;
}

function saveBatch(db: Db, batch: readonly Extraction[]): Promise<string[]> {
  const ready = makeReady(batch);
  const rows = batch.reduce((sum, one) => Math.max(sum, rowsOf(one)), 0);
  // Most batches need one statement without a transaction around it.
  if (rows <= rowsPerStatement) return retryVictims(() => writeRows(db, ready, batch, 0));
  return inTransaction(db, async (tx) => {
    const saved = await writeRows(tx, ready, batch, 0);
    if (saved.length === 0) return saved;
    for (let first = rowsPerStatement; first < rows; first += rowsPerStatement) {
      await writeRows(tx, alreadyReady(batch), batch, first);
    }
    return saved;
  });
}

/** Makes the documents ready whose lease is valid. */
function makeReady(batch: readonly Extraction[]): RawBuilder<unknown> {
  return sql`
    update knowledge_base_documents d
    set status = 'ready', page_count = done.pages, pages_done = done.pages,
        lease_id = null, lease_expires_at = null, updated_at = engine_now()
    from unnest(${batch.map(({ lease }) => lease.documentId)}::uuid[], ${batch.map(({ lease }) => lease.leaseId)}::uuid[],
                ${batch.map(({ text }) => text.pages.length)}::integer[]) as done(id, lease_id, pages)
    where d.id = done.id and d.lease_id = done.lease_id
    returning d.id, done.lease_id, d.organization_id, d.knowledge_base_id`;
}

/** The same documents for a later statement of the transaction. */
function alreadyReady(batch: readonly Extraction[]): RawBuilder<unknown> {
  return sql`
    select d.id, null::uuid as lease_id, d.organization_id, d.knowledge_base_id from knowledge_base_documents d
    where d.id = any(${batch.map(({ lease }) => lease.documentId)}::uuid[])`;
}

/** Inserts pages and passages from `first` on of the documents of `ready`, and returns their lease ids. */
async function writeRows(
  db: Executor,
  ready: RawBuilder<unknown>,
  batch: readonly Extraction[],
  first: number,
): Promise<string[]> {
  const pages = slice(batch, first, ({ pages: all }) => all);
  const passages = slice(batch, first, ({ passages: all }) => all);
  const column = <Value>(of: (passage: Passage) => Value) => passages.map(({ row }) => of(row));
  const { rows } = await sql<{ lease_id: string }>`
    with held as (${ready}), pages as (
      insert into knowledge_base_pages (organization_id, knowledge_base_id, document_id, number, text)
      select organization_id, knowledge_base_id, id, number, text
      from unnest(${pages.map((page) => page.documentId)}::uuid[], ${pages.map((page) => page.at + 1)}::integer[],
                  ${pages.map(({ row }) => row)}::text[]) as page(id, number, text)
      join held using (id)
    ), passages as (
      select organization_id, knowledge_base_id, id as document_id, position, page, text, search_text,
        -- An older server may know fewer languages.
        case when exists (select from pg_ts_config where cfgname = search_config) then search_config
             else 'simple' end as search_config
      from unnest(${passages.map((passage) => passage.documentId)}::uuid[],
                  ${passages.map((passage) => passage.at)}::integer[], ${column((row) => row.page)}::integer[],
                  ${column((row) => row.text)}::text[], ${column((row) => row.searchText)}::text[],
                  ${column((row) => row.searchConfig)}::text[])
        as passage(id, position, page, text, search_text, search_config)
      join held using (id)
    ), kept as (
      insert into knowledge_base_passages
        (organization_id, knowledge_base_id, document_id, position, page, search_config, text)
      select organization_id, knowledge_base_id, document_id, position, page, search_config, text
      from passages
    ), found as (
      insert into knowledge_base_index (knowledge_base_id, document_id, position, search)
      select knowledge_base_id, document_id, position,
        to_tsvector(search_config::regconfig, coalesce(search_text, text))
          || array_to_tsvector(array['kb:' || knowledge_base_id])
      from passages
    ), languages as (
      insert into knowledge_base_languages (organization_id, knowledge_base_id, search_config)
      select distinct organization_id, knowledge_base_id, search_config from passages
      -- In a fixed order, to avoid deadlocks.
      order by knowledge_base_id, search_config
      on conflict do nothing
    )
    select lease_id from held`.execute(db);
  return rows.map((row) => row.lease_id);
}

interface RowOfDocument<Row> {
  documentId: string;
  at: number;
  row: Row;
}

/** The rows of all documents from `first` on, each with its position in its document. */
function slice<Row>(
  batch: readonly Extraction[],
  first: number,
  rowsIn: (text: ExtractedText) => readonly Row[],
): Array<RowOfDocument<Row>> {
  return batch.flatMap(({ lease: { documentId }, text }) =>
    rowsIn(text)
      .slice(first, first + rowsPerStatement)
      .map((row, at) => ({ documentId, at: first + at, row })),
  );
}
