import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** Makes a key known before its first byte is written, so that an upload that dies leaves nothing behind for good. */
export async function registerUpload(db: Executor, organizationId: string, key: string): Promise<void> {
  await db.insertInto('stored_files').values({ organization_id: organizationId, key }).execute();
}

/** An upload that came to nothing: its bytes may go. */
export async function abandonUpload(db: Executor, key: string): Promise<void> {
  await sql`update stored_files set state = 'removing', state_since = engine_now()
            where key = ${key} and state = 'uploading'`.execute(db);
}

/**
 * Keys whose bytes may be removed from the store: those that nothing refers to, and uploads older than
 * `uploadsAfterSeconds`, whose process must be dead. They stay listed until `forgetFile`.
 */
export async function findFilesToRemove(
  db: Executor,
  { limit, uploadsAfterSeconds }: { limit: number; uploadsAfterSeconds: number },
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    update stored_files set state = 'removing'
    where key in (
      select key from stored_files
      where state = 'removing'
         or (state = 'uploading' and state_since < (select engine_now()) - make_interval(secs => ${uploadsAfterSeconds}))
      order by state_since limit ${limit} for update skip locked
    ) returning key`.execute(db);
  return rows.map((row) => row.key);
}

/** The last word on a key, once its store has removed the bytes. */
export async function forgetFile(db: Executor, key: string): Promise<void> {
  await db.deleteFrom('stored_files').where('key', '=', key).where('state', '=', 'removing').execute();
}

/** Whether nothing refers to the file any more, so that its bytes may be removed. */
export async function isFileRemovable(db: Executor, key: string): Promise<boolean> {
  const row = await db
    .selectFrom('stored_files')
    .select('key')
    .where('key', '=', key)
    .where('state', '=', 'removing')
    .executeTakeFirst();
  return row !== undefined;
}
