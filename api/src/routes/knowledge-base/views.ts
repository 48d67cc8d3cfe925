import type { KnowledgeBase, KnowledgeBaseItem } from '@outdial/contracts';
import type { ItemRow, KnowledgeBaseRow } from '@outdial/db';

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

/** The size limit: a name, and notes or a description of ten thousand characters. */
export const rowBytesAtMost = 64 * 1024;
