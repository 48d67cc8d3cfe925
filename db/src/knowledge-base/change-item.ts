import { sql } from 'kysely';
import { type Db, inTransaction, type Tx } from '../transaction.ts';
import { findDocument, insertDocument, type NewItem, reserveBytes, settleUpload } from './add-item.ts';
import { findItem, type ItemAddress, type ItemRow } from './items.ts';

/** Omitted fields do not change; null removes the notes. */
export interface ItemChange extends ItemAddress {
  name?: string | undefined;
  notes?: string | null | undefined;
  /** Runs when no other change of the item can, and throws to refuse this one. */
  precondition?: (before: ItemRow) => Promise<void>;
  file?: Pick<NewItem, 'fileKey' | 'fileType' | 'sizeBytes' | 'sha256' | 'limits'> | undefined;
}

export type ChangeItemResult =
  /** `fileKeys`: unused files for the caller to remove, including a duplicate upload. */
  | { kind: 'changed'; before: ItemRow; item: ItemRow; fileKeys: string[] }
  | { kind: 'no_such_item' }
  | { kind: 'too_many_bytes'; bytesUsed: number };

export function changeItem(db: Db, change: ItemChange): Promise<ChangeItemResult> {
  return inTransaction(db, async (tx) => {
    const before = await lockItem(tx, change);
    if (!before) return { kind: 'no_such_item' };
    await change.precondition?.(before);
    let documentId = before.document_id;
    const fileKeys: string[] = [];
    if (change.file) {
      const { file } = change;
      const known = await findDocument(tx, { ...change, sha256: file.sha256 });
      if (!known) {
        const freed = (await isOnlyItem(tx, before)) ? before.size_bytes : 0;
        const { organizationId } = change;
        const bytesUsed = await reserveBytes(tx, {
          organizationId,
          sizeBytes: file.sizeBytes - freed,
          limits: file.limits,
        });
        if (bytesUsed !== null) return { kind: 'too_many_bytes', bytesUsed };
        // `dropDocument` will subtract these bytes.
        if (freed > 0) await addBytes(tx, organizationId, freed);
      }
      await settleUpload(tx, file.fileKey, known ? 'removing' : 'kept');
      if (known) fileKeys.push(file.fileKey);
      documentId = known?.id ?? (await insertDocument(tx, { ...change, ...file }));
    }
    await tx
      .updateTable('knowledge_base_items')
      .set((eb) => ({
        document_id: documentId,
        updated_at: eb.fn<Date>('engine_now'),
        name: change.name,
        notes: change.notes,
      }))
      .where('id', '=', before.id)
      .execute();
    if (documentId !== before.document_id) fileKeys.push(...(await dropDocument(tx, before)));
    const item = await findItem(tx, change);
    if (!item) throw new Error(`cannot read item ${change.id} after its update`);
    return { kind: 'changed', before, item, fileKeys };
  });
}

/** Deletes an item, and its text if no other item has the same content. */
export function deleteItem(
  db: Db,
  address: ItemAddress,
): Promise<{ item: ItemRow; fileKeys: string[] } | undefined> {
  return inTransaction(db, async (tx) => {
    const item = await lockItem(tx, address);
    if (!item) return undefined;
    await tx.deleteFrom('knowledge_base_items').where('id', '=', item.id).execute();
    await tx
      .updateTable('knowledge_bases')
      .set((eb) => ({ item_count: eb('item_count', '-', 1) }))
      .where('id', '=', item.knowledge_base_id)
      .execute();
    return { item, fileKeys: await dropDocument(tx, item) };
  });
}

/** Finds the item and locks its base's row, which serializes changes of a base's items. */
async function lockItem(tx: Tx, address: ItemAddress): Promise<ItemRow | undefined> {
  await tx
    .selectFrom('knowledge_bases')
    .select('id')
    .where('organization_id', '=', address.organizationId)
    .where('id', '=', address.knowledgeBaseId)
    .forUpdate()
    .execute();
  return findItem(tx, address);
}

async function isOnlyItem(tx: Tx, item: ItemRow): Promise<boolean> {
  const other = await tx
    .selectFrom('knowledge_base_items')
    .select('id')
    .where('document_id', '=', item.document_id)
    .where('id', '<>', item.id)
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}

/** Deletes the former document of an item if no other item uses it. Returns the keys of files to remove. */
async function dropDocument(tx: Tx, item: ItemRow): Promise<string[]> {
  if (!(await isOnlyItem(tx, item))) return [];
  const dropped = await tx
    .deleteFrom('knowledge_base_documents')
    .where('organization_id', '=', item.organization_id)
    .where('id', '=', item.document_id)
    .returning(['file_key', 'size_bytes'])
    .executeTakeFirst();
  if (!dropped) return [];
  await addBytes(tx, item.organization_id, -Number(dropped.size_bytes));
  await sql`update stored_files set state = 'removing', state_since = engine_now()
            where organization_id = ${item.organization_id} and key = ${dropped.file_key}`.execute(tx);
  return [dropped.file_key];
}

async function addBytes(tx: Tx, organizationId: string, bytes: number): Promise<void> {
  await sql`update knowledge_base_usage set bytes_used = bytes_used + ${bytes}
            where organization_id = ${organizationId}`.execute(tx);
}
