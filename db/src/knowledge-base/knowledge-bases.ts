import type { Selectable } from 'kysely';
import { type Db, type Executor, inTransaction, type Tx } from '../transaction.ts';
import { type NewestFirst, selectNewestFirst } from '../lists/newest-first.ts';
import type { KnowledgeBaseTable } from '../schema/knowledge-bases.ts';

export type KnowledgeBaseRow = Omit<Selectable<KnowledgeBaseTable>, 'item_count'>;

const columns = ['id', 'organization_id', 'name', 'description', 'created_at', 'updated_at'] as const;

export function createKnowledgeBase(
  db: Executor,
  base: { organizationId: string; name: string; description: string },
): Promise<KnowledgeBaseRow> {
  return db
    .insertInto('knowledge_bases')
    .values({ organization_id: base.organizationId, name: base.name, description: base.description })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Newest first. `offset` skips rows from the start of the page. */
export function listKnowledgeBases(
  db: Executor,
  list: { organizationId: string; page: NewestFirst; offset: number },
) {
  const query = db
    .selectFrom('knowledge_bases')
    .select(columns)
    .where('organization_id', '=', list.organizationId);
  return selectNewestFirst(query, list.page).offset(list.offset).execute();
}

export function findKnowledgeBase(
  db: Executor,
  organizationId: string,
  id: string,
): Promise<KnowledgeBaseRow | undefined> {
  return ofId(db, organizationId, id).executeTakeFirst();
}

export function lockKnowledgeBase(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<KnowledgeBaseRow | undefined> {
  return ofId(tx, organizationId, id).forNoKeyUpdate().executeTakeFirst();
}

function ofId(db: Executor, organizationId: string, id: string) {
  return db
    .selectFrom('knowledge_bases')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id);
}

/** Replaces the named fields. Undefined if the knowledge base does not exist. */
export function updateKnowledgeBase(
  db: Executor,
  change: {
    organizationId: string;
    id: string;
    name?: string | undefined;
    description?: string | undefined;
    now: Date;
  },
): Promise<KnowledgeBaseRow | undefined> {
  return (
    db
      .updateTable('knowledge_bases')
      // Kysely omits undefined fields.
      .set({ name: change.name, description: change.description, updated_at: change.now })
      .where('organization_id', '=', change.organizationId)
      .where('id', '=', change.id)
      .returning(columns)
      .executeTakeFirst()
  );
}

interface DeletedKnowledgeBase {
  knowledgeBase: KnowledgeBaseRow;
  /** Unused files for the caller to remove. If the caller dies, a sweep removes them. */
  fileKeys: string[];
}

export function deleteKnowledgeBase(
  db: Db,
  organizationId: string,
  id: string,
): Promise<DeletedKnowledgeBase | undefined> {
  return inTransaction(db, async (tx) => {
    // Locks out uploads. The usage row is always locked after this one.
    const knowledgeBase = await ofId(tx, organizationId, id).forUpdate().executeTakeFirst();
    if (!knowledgeBase) return undefined;
    const documents = await tx
      .deleteFrom('knowledge_base_documents')
      .where('organization_id', '=', organizationId)
      .where('knowledge_base_id', '=', id)
      .returning(['file_key', 'size_bytes'])
      .execute();
    const fileKeys = documents.map((document) => document.file_key);
    if (documents.length > 0) {
      const bytes = documents.reduce((sum, document) => sum + Number(document.size_bytes), 0);
      await tx
        .updateTable('knowledge_base_usage')
        .set((eb) => ({ bytes_used: eb('bytes_used', '-', String(bytes)) }))
        .where('organization_id', '=', organizationId)
        .execute();
      await tx
        .updateTable('stored_files')
        .set((eb) => ({ state: 'removing', state_since: eb.fn<Date>('engine_now') }))
        .where('organization_id', '=', organizationId)
        .where('key', 'in', fileKeys)
        .execute();
    }
    await tx.deleteFrom('knowledge_bases').where('id', '=', id).execute();
    return { knowledgeBase, fileKeys };
  });
}
