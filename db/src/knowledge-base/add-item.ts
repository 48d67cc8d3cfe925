import { sql } from 'kysely';
import { ConflictError, type FileKind } from '@outdial/core';
import type { Tx } from '../transaction.ts';
import { findItem, type ItemRow } from './items.ts';

export interface NewItem {
  organizationId: string;
  knowledgeBaseId: string;
  name: string;
  notes: string | null;
  /** The key of a complete and durable upload. */
  fileKey: string;
  fileType: FileKind;
  sizeBytes: number;
  sha256: Buffer;
  limits: ItemLimits;
}

export interface ItemLimits {
  itemsPerBase: number;
  bytesPerOrganization: number;
}

export type AddItemResult =
  /** `duplicateUpload`: the base already has this content, so the caller may remove the uploaded file. */
  | { kind: 'added'; item: ItemRow; duplicateUpload: boolean }
  | { kind: 'no_such_base' }
  | { kind: 'too_many_items' }
  | { kind: 'too_many_bytes'; bytesUsed: number };

/** Adds an item within the limits of its base and organization. Items with the same content share a document. */
export async function addItem(tx: Tx, item: NewItem): Promise<AddItemResult> {
  // Serializes uploads to one base, so that its count is exact and each content has one document.
  const base = await tx
    .selectFrom('knowledge_bases')
    .select('item_count')
    .where('organization_id', '=', item.organizationId)
    .where('id', '=', item.knowledgeBaseId)
    .forUpdate()
    .executeTakeFirst();
  if (!base) return { kind: 'no_such_base' };
  if (base.item_count >= item.limits.itemsPerBase) return { kind: 'too_many_items' };

  const known = await findDocument(tx, item);
  if (!known) {
    const bytesUsed = await reserveBytes(tx, item);
    if (bytesUsed !== null) return { kind: 'too_many_bytes', bytesUsed };
  }
  await settleUpload(tx, item.fileKey, known ? 'removing' : 'kept');
  const documentId = known?.id ?? (await insertDocument(tx, item));

  const { id } = await tx
    .insertInto('knowledge_base_items')
    .values({
      organization_id: item.organizationId,
      knowledge_base_id: item.knowledgeBaseId,
      document_id: documentId,
      name: item.name,
      notes: item.notes,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx
    .updateTable('knowledge_bases')
    .set({ item_count: base.item_count + 1 })
    .where('id', '=', item.knowledgeBaseId)
    .execute();
  const added = await findItem(tx, { ...item, id });
  if (!added) throw new Error(`cannot read item ${id} after its insert`);
  return { kind: 'added', item: added, duplicateUpload: known !== undefined };
}

/** The document of a base with this content, unless its extraction failed. */
export function findDocument(
  tx: Tx,
  { knowledgeBaseId, sha256 }: Pick<NewItem, 'knowledgeBaseId' | 'sha256'>,
): Promise<{ id: string } | undefined> {
  return tx
    .selectFrom('knowledge_base_documents')
    .select('id')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('sha256', '=', sha256)
    .where('status', '<>', 'failed')
    .executeTakeFirst();
}

/** Null if the bytes fit, else the organization's current usage. */
export async function reserveBytes(
  tx: Tx,
  item: Pick<NewItem, 'organizationId' | 'sizeBytes' | 'limits'>,
): Promise<number | null> {
  await sql`insert into knowledge_base_usage (organization_id) values (${item.organizationId})
            on conflict do nothing`.execute(tx);
  const { numAffectedRows } = await sql`
    update knowledge_base_usage set bytes_used = bytes_used + ${item.sizeBytes}
    where organization_id = ${item.organizationId}
      and bytes_used + ${item.sizeBytes} <= ${item.limits.bytesPerOrganization}`.execute(tx);
  if (numAffectedRows === 1n) return null;
  const usage = await tx
    .selectFrom('knowledge_base_usage')
    .select('bytes_used')
    .where('organization_id', '=', item.organizationId)
    .executeTakeFirstOrThrow();
  return Number(usage.bytes_used);
}

export async function settleUpload(tx: Tx, key: string, state: 'kept' | 'removing'): Promise<void> {
  const { numAffectedRows } = await sql`
    update stored_files set state = ${state}, state_since = engine_now()
    where key = ${key} and state = 'uploading'`.execute(tx);
  // A sweep may have removed the file, as of an upload whose process died.
  if (numAffectedRows !== 1n) {
    throw new ConflictError(
      'upload_expired',
      'The upload took too long and was canceled: send the file again',
    );
  }
}

export async function insertDocument(
  tx: Tx,
  item: Omit<NewItem, 'name' | 'notes' | 'limits'>,
): Promise<string> {
  const { id } = await tx
    .insertInto('knowledge_base_documents')
    .values({
      organization_id: item.organizationId,
      knowledge_base_id: item.knowledgeBaseId,
      sha256: item.sha256,
      size_bytes: item.sizeBytes,
      file_type: item.fileType,
      file_key: item.fileKey,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
