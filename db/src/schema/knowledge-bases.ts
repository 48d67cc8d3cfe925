import type { FileKind } from '@outdial/core';
import type { ColumnType, Generated } from 'kysely';
import type { Now } from './columns.ts';

export type ItemStatus = 'pending' | 'processing' | 'ready' | 'failed';

export interface KnowledgeBaseUsageTable {
  organization_id: string;
  bytes_used: ColumnType<string, string | number | undefined, string | number>;
}

export interface KnowledgeBaseTable {
  id: Generated<string>;
  organization_id: string;
  name: string;
  description: Generated<string>;
  item_count: Generated<number>;
  created_at: Now;
  updated_at: Now;
}

export interface KnowledgeBaseDocumentTable {
  id: Generated<string>;
  organization_id: string;
  knowledge_base_id: string;
  sha256: Buffer;
  size_bytes: ColumnType<string, string | number, string | number>;
  file_type: FileKind;
  file_key: string;
  status: Generated<ItemStatus>;
  error_code: string | null;
  error: string | null;
  page_count: number | null;
  attempts: Generated<number>;
  lease_id: string | null;
  lease_expires_at: Date | null;
  published_at: Now;
  created_at: Now;
  updated_at: Now;
}

export interface KnowledgeBaseItemTable {
  id: Generated<string>;
  organization_id: string;
  knowledge_base_id: string;
  document_id: string;
  name: string;
  notes: string | null;
  created_at: Now;
  updated_at: Now;
}

export interface KnowledgeBasePageTable {
  organization_id: string;
  knowledge_base_id: string;
  document_id: string;
  number: number;
  text: string;
}

export interface KnowledgeBasePassageTable {
  organization_id: string;
  knowledge_base_id: string;
  document_id: string;
  position: number;
  page: number;
  search_config: string;
  text: string;
}

export interface KnowledgeBaseIndexTable {
  knowledge_base_id: string;
  document_id: string;
  position: number;
  search: string;
}

export interface KnowledgeBaseLanguageTable {
  organization_id: string;
  knowledge_base_id: string;
  search_config: string;
}
