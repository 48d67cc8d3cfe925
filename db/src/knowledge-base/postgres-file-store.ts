import { sql } from 'kysely';
import { FileMissingError, type FileStore } from '@outdial/core';
import type { Db } from '../connect.ts';

/** Big enough that rows are few, small enough that a handful of uploads at once is no burden. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Files in the database itself: the default, since every process on every machine reads it already, and one
 * backup holds everything. Each chunk is a statement of its own, so that a slow upload holds no connection.
 */
export function createPostgresFileStore(db: Db): FileStore {
  return {
    async write(key, bytes) {
      let position = 0;
      for await (const chunk of inChunks(bytes, CHUNK_BYTES)) {
        await db.insertInto('file_chunks').values({ key, position, bytes: chunk }).execute();
        position++;
      }
    },

    async *read(key) {
      for (let position = 0; ; position++) {
        const { rows } = await sql<{ bytes: Buffer; has_next: boolean }>`
          select bytes, exists (select from file_chunks where key = ${key} and position = ${position + 1}) as has_next
          from file_chunks where key = ${key} and position = ${position}`.execute(db);
        const chunk = rows[0];
        if (!chunk) {
          if (position === 0) throw new FileMissingError(key);
          return;
        }
        yield chunk.bytes;
        // Most files have one chunk, and need not be asked for another.
        if (!chunk.has_next) return;
      }
    },

    async remove(key) {
      await db.deleteFrom('file_chunks').where('key', '=', key).execute();
    },
  };
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
