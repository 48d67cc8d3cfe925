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
        const chunk = await db
          .selectFrom('file_chunks')
          .select('bytes')
          .where('key', '=', key)
          .where('position', '=', position)
          .executeTakeFirst();
        if (!chunk) {
          if (position === 0) throw new FileMissingError(key);
          return;
        }
        yield chunk.bytes;
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
