import { type RawBuilder, sql } from 'kysely';
import type { ExtractedText, Passage } from '@outdial/core';
import { postgresCode } from '../postgres/error-code.ts';
import { type Db, type Executor, inTransaction, retryVictims } from '../transaction.ts';
import type { IngestionLease } from './ingestion-leases.ts';

/** Bounds the pages and passages of a statement. */
const rowsPerStatement = 500;

/** Saves the text with its index and makes the document ready, atomically. False, and nothing is saved, if the lease was lost. */
export async function saveExtraction(
  db: Db,
  { documentId, leaseId }: Pick<IngestionLease, 'documentId' | 'leaseId'>,
  text: ExtractedText,
): Promise<boolean> {
  const rows = Math.max(text.pages.length, text.passages.length);
  const held = sql`
    update knowledge_base_documents
    set status = 'ready', page_count = ${text.pages.length},
        lease_id = null, lease_expires_at = null, updated_at = engine_now()
    where id = ${documentId} and lease_id = ${leaseId}
    returning id, organization_id, knowledge_base_id`;
  // Most documents need one statement without a transaction around it.
  if (rows <= rowsPerStatement) return retryVictims(() => writeRows(db, held, text, 0));
  return inTransaction(db, async (tx) => {
    if (!(await writeRows(tx, held, text, 0))) return false;
    const ready = sql`
      select id, organization_id, knowledge_base_id from knowledge_base_documents where id = ${documentId}`;
    for (let first = rowsPerStatement; first < rows; first += rowsPerStatement) {
      await writeRows(tx, ready, text, first);
    }
    return true;
  });
}

/** Whether Postgres will never accept the text, because a value is invalid or too large (classes 22 and 54 of its error codes). */
export function isUnstorableText(error: unknown): boolean {
  return /^(?:22|54)/.test(postgresCode(error));
}

/** Inserts pages and passages from `first` on of the document that `held` returns. False if it returns none. */
async function writeRows(
  db: Executor,
  held: RawBuilder<unknown>,
  text: ExtractedText,
  first: number,
): Promise<boolean> {
  const pages = text.pages.slice(first, first + rowsPerStatement);
  const passages = text.passages.slice(first, first + rowsPerStatement);
  const column = <Value>(of: (passage: Passage) => Value) => passages.map(of);
  const { rows } = await sql`
    with held as (${held}), pages as (
      insert into knowledge_base_pages (organization_id, knowledge_base_id, document_id, number, text)
      select organization_id, knowledge_base_id, id, ${first}::integer + number, text
      from unnest(${pages}::text[]) with ordinality as page(text, number), held
    ), passages as (
      select organization_id, knowledge_base_id, id as document_id, ${first}::integer + at - 1 as position,
        page, text, search_text,
        -- An older server may know fewer languages.
        case when exists (select from pg_ts_config where cfgname = search_config) then search_config
             else 'simple' end as search_config
      from unnest(${column((row) => row.page)}::integer[], ${column((row) => row.text)}::text[],
                  ${column((row) => row.searchText)}::text[], ${column((row) => row.searchConfig)}::text[])
        with ordinality as passage(page, text, search_text, search_config, at), held
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
    select from held`.execute(db);
  return rows.length > 0;
}
