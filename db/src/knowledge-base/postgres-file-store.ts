import { sql } from 'kysely';
import { Batcher, type ByteRange, FileMissingError, type FileStore } from '@outdial/core';
import type { Db, Executor } from '../transaction.ts';

/** The size of all chunks except the last one of a file. Another size would misread stored files, because byte ranges are found by it. */
const chunkBytes = 1024 * 1024;

/**
 * Stores files in the database. This is the default, because every process has access to it, and one backup has everything. Each chunk has its own
 * statement, so that a slow upload does not occupy a connection.
 */
export function createPostgresFileStore(db: Db): FileStore {
  // Reads the first chunks of concurrently requested files with one statement, of at most sixteen megabytes.
  const firstChunks = new Batcher<string, Chunk | undefined>({
    async run(keys) {
      const { rows } = await sql<Chunk & { key: string }>`
        select key, bytes,
          exists (select from file_chunks next where next.key = file_chunks.key and next.position = 1) as has_next
        from file_chunks where key = any(${keys}::text[]) and position = 0`.execute(db);
      const chunks = new Map(rows.map((row) => [row.key, row]));
      return keys.map((key) => chunks.get(key));
    },
    atMost: 16,
    lanes: 4,
  });
  return {
    async write(key, bytes) {
      let position = 0;
      for await (const chunk of inChunks(bytes, chunkBytes)) {
        await db.insertInto('file_chunks').values({ key, position, bytes: chunk }).execute();
        position++;
      }
    },

    async *read(key, range) {
      if (range !== undefined) {
        yield* partOf(db, key, range);
        return;
      }
      const first = await firstChunks.add(key);
      if (!first) throw new FileMissingError(key);
      yield first.bytes;
      // Most files have one chunk and need no further statement.
      for (let position = 1, hasNext = first.has_next; hasNext; position++) {
        const { rows } = await sql<Chunk>`
          select bytes, exists (select from file_chunks where key = ${key} and position = ${position + 1}) as has_next
          from file_chunks where key = ${key} and position = ${position}`.execute(db);
        const chunk = rows[0];
        if (!chunk) return;
        yield chunk.bytes;
        hasNext = chunk.has_next;
      }
    },

    async remove(key) {
      await db.deleteFrom('file_chunks').where('key', '=', key).execute();
    },
  };
}

async function* partOf(db: Db, key: string, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  const last = Math.floor(end / chunkBytes);
  for (let position = Math.floor(start / chunkBytes); position <= last; position++) {
    const chunkStart = position * chunkBytes;
    const from = Math.max(0, start - chunkStart);
    const length = Math.min(chunkBytes, end + 1 - chunkStart) - from;
    const { rows } = await sql<{ bytes: Buffer }>`
      select substring(bytes from ${from + 1}::integer for ${length}::integer) as bytes
      from file_chunks where key = ${key} and position = ${position}`.execute(db);
    const [part] = rows;
    if (part === undefined) throw new FileMissingError(key);
    yield part.bytes;
  }
}

interface Chunk {
  bytes: Buffer;
  has_next: boolean;
}

async function* inChunks(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of bytes) {
    parts.push(part);
    length += part.length;
    while (length >= size) {
      const joined = Buffer.concat(parts);
      yield joined.subarray(0, size);
      parts = [joined.subarray(size)];
      length -= size;
    }
  }
  if (length > 0) yield Buffer.concat(parts);
}

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

export async function isFileRemovable(db: Executor, key: string): Promise<boolean> {
  const row = await db
    .selectFrom('stored_files')
    .select('key')
    .where('key', '=', key)
    .where('state', '=', 'removing')
    .executeTakeFirst();
  return row !== undefined;
}
