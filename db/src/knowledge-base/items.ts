import { type Selectable, sql } from 'kysely';
import type { FileKind } from '@outdial/core';
import type {
  ItemStatus,
  KnowledgeBaseDocumentTable,
  KnowledgeBaseItemTable,
} from '../schema/knowledge-bases.ts';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import type { Executor } from '../transaction.ts';

export interface ItemRow
  extends
    Selectable<KnowledgeBaseItemTable>,
    Pick<Selectable<KnowledgeBaseDocumentTable>, 'file_type' | 'status' | 'error' | 'error_code'> {
  size_bytes: number;
}

export interface ListedItemRow extends ItemRow {
  row_instant: string;
}

const columns = sql`
  i.id, i.organization_id, i.knowledge_base_id, i.document_id, i.name, i.notes, d.file_type, d.status, d.error,
  d.error_code, d.size_bytes::float8 as size_bytes, i.created_at,
  greatest(i.updated_at, d.updated_at) as updated_at`;

const tables = sql`
  from knowledge_base_items i
  join knowledge_base_documents d
    on (d.organization_id, d.knowledge_base_id, d.id) = (i.organization_id, i.knowledge_base_id, i.document_id)`;

export interface ItemFilter {
  organizationId: string;
  knowledgeBaseId: string;
  fileType?: FileKind | undefined;
  status?: ItemStatus | undefined;
  page: NewestFirst;
  /** Skips rows from the start of the page. */
  offset: number;
}

export async function listItems(db: Executor, filter: ItemFilter): Promise<ListedItemRow[]> {
  const { rows } = await sql<ListedItemRow>`
    select ${columns}, ${rowInstant('i.created_at')} as row_instant ${tables}
    where i.organization_id = ${filter.organizationId} and i.knowledge_base_id = ${filter.knowledgeBaseId}
      and (${filter.fileType ?? null}::text is null or d.file_type = ${filter.fileType ?? null})
      and (${filter.status ?? null}::text is null or d.status = ${filter.status ?? null})
      ${newestFirst({ at: 'i.created_at', id: 'i.id' }, filter.page)} offset ${filter.offset}`.execute(db);
  return rows;
}

export interface ItemAddress {
  organizationId: string;
  knowledgeBaseId: string;
  id: string;
}

export async function findItem(db: Executor, item: ItemAddress): Promise<ItemRow | undefined> {
  const { rows } = await sql<ItemRow>`
    select ${columns} ${tables}
    where i.organization_id = ${item.organizationId} and i.knowledge_base_id = ${item.knowledgeBaseId}
      and i.id = ${item.id}`.execute(db);
  return rows[0];
}

/** The text of a ready document. Form feeds separate its pages, as in the output of pdftotext. */
export async function readContent(
  db: Executor,
  { organizationId, documentId }: { organizationId: string; documentId: string },
): Promise<string> {
  const { rows } = await sql<{ content: string | null }>`
    select string_agg(text, e'\\f' order by number) as content from knowledge_base_pages
    where organization_id = ${organizationId} and document_id = ${documentId}`.execute(db);
  return rows[0]?.content ?? '';
}
