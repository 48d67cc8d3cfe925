import type { Generated } from 'kysely';
import type { Now } from './columns.ts';

export interface StoredFileTable {
  key: string;
  organization_id: string;
  state: Generated<'uploading' | 'kept' | 'removing'>;
  state_since: Now;
}

export interface FileChunkTable {
  key: string;
  position: number;
  bytes: Buffer;
}
