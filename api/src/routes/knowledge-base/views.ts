import type { KnowledgeBase, KnowledgeBaseItem } from '@outdial/contracts';
import type { ItemRow, KnowledgeBaseRow, Slice } from '@outdial/db';

export function knowledgeBaseView(row: KnowledgeBaseRow): KnowledgeBase {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    organization_id: row.organization_id,
  };
}

export function itemView(row: ItemRow): KnowledgeBaseItem {
  return {
    id: row.id,
    name: row.name,
    file_type: row.file_type,
    status: row.status,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    knowledge_base_id: row.knowledge_base_id,
    notes: row.notes,
    error: row.error,
  };
}

const DEFAULT_SIZE = 50;

/** The whole list unless `page` or `size` is given. */
export function sliceOf({
  page,
  size,
}: {
  page?: number | undefined;
  size?: number | undefined;
}): Slice | undefined {
  if (page === undefined && size === undefined) return undefined;
  const limit = size ?? DEFAULT_SIZE;
  return { limit, offset: ((page ?? 1) - 1) * limit };
}
