import { sql } from 'kysely';
import { type ByteRange, FileMissingError, type FileStore } from '@outdial/core';
import type { Db } from '../transaction.ts';

/**
 * Big enough that rows are few, small enough that a handful of uploads at once is no burden. Every chunk of a file but its last has this size: the
 * chunk of a byte is found by it, so another size would misread the files that are stored.
 */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Files in the database itself: the default, since every process on every machine reads it already, and one
 * backup holds everything. Each chunk is a statement of its own, so that a slow upload holds no connection.
 */
export function createPostgresFileStore(db: Db): FileStore {
  const beginning = beginningsTogether(db);
  return {
    async write(key, bytes) {
      let position = 0;
      for await (const chunk of inChunks(bytes, CHUNK_BYTES)) {
        await db.insertInto('file_chunks').values({ key, position, bytes: chunk }).execute();
        position++;
      }
    },

    async *read(key, range) {
      if (range !== undefined) {
        yield* partOf(db, key, range);
        return;
      }
      const first = await beginning(key);
      if (!first) throw new FileMissingError(key);
      yield first.bytes;
      // Most files have one chunk, and need not be asked for another.
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
  const last = Math.floor(end / CHUNK_BYTES);
  for (let position = Math.floor(start / CHUNK_BYTES); position <= last; position++) {
    const chunkStart = position * CHUNK_BYTES;
    const from = Math.max(0, start - chunkStart);
    const length = Math.min(CHUNK_BYTES, end + 1 - chunkStart) - from;
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

/** Of a statement: sixteen megabytes at most. */
const BEGINNINGS_AT_ONCE = 16;

/** The first chunks of files that are asked for in one turn of the event loop come with one statement. */
function beginningsTogether(db: Db): (key: string) => Promise<Chunk | undefined> {
  interface Asked {
    key: string;
    resolve: (chunk: Chunk | undefined) => void;
    reject: (error: unknown) => void;
  }
  let asked: Asked[] = [];

  async function answer(together: readonly Asked[]): Promise<void> {
    try {
      const { rows } = await sql<Chunk & { key: string }>`
        select key, bytes,
          exists (select from file_chunks next where next.key = file_chunks.key and next.position = 1) as has_next
        from file_chunks where key = any(${together.map(({ key }) => key)}::text[]) and position = 0`.execute(
        db,
      );
      const chunks = new Map(rows.map((row) => [row.key, row]));
      for (const { key, resolve } of together) resolve(chunks.get(key));
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      asked.push({ key, resolve, reject });
      if (asked.length > 1) return;
      setImmediate(() => {
        const all = asked;
        asked = [];
        for (let from = 0; from < all.length; from += BEGINNINGS_AT_ONCE) {
          void answer(all.slice(from, from + BEGINNINGS_AT_ONCE));
        }
      });
    });
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
