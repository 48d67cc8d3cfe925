import type { KnowledgeBase, KnowledgeBaseItem } from '@outdial/contracts';
import type { ItemRow, KnowledgeBaseRow } from '@outdial/db';
import { z } from 'zod';

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

const withContent = z.looseObject({ content: z.unknown() });

/** Without the text, which only a new file changes, and with it `updated_at`. */
export function itemVersion(data: unknown): unknown {
  const { content: _, ...rest } = withContent.partial().parse(data);
  return rest;
}

/** The size limit: a name, and notes or a description of ten thousand characters. */
export const rowBytesAtMost = 64 * 1024;
