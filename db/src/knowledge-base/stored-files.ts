import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** Records a key before its first byte is written, so that a sweep can remove an interrupted upload. */
export async function registerUpload(db: Executor, organizationId: string, key: string): Promise<void> {
  await db.insertInto('stored_files').values({ organization_id: organizationId, key }).execute();
}

/** Marks the file of a failed upload for removal. */
export async function abandonUpload(db: Executor, key: string): Promise<void> {
  await sql`update stored_files set state = 'removing', state_since = engine_now()
            where key = ${key} and state = 'uploading'`.execute(db);
}

/** Keys of unused files, and of uploads older than `uploadsAfterSeconds`, whose process must be dead. They stay listed until `forgetFile`. */
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

/** Deletes the key after the store has removed the file. */
export async function forgetFile(db: Executor, key: string): Promise<void> {
  await db.deleteFrom('stored_files').where('key', '=', key).where('state', '=', 'removing').execute();
}

/** Whether the file is unused. */
export async function isFileRemovable(db: Executor, key: string): Promise<boolean> {
  const row = await db
    .selectFrom('stored_files')
    .select('key')
    .where('key', '=', key)
    .where('state', '=', 'removing')
    .executeTakeFirst();
  return row !== undefined;
}
