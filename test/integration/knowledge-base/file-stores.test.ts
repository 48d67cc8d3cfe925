import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTo, createServer } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FileStore } from '@outdial/core';
import { createPostgresFileStore } from '@outdial/db';
import { openS3FileStore } from '@outdial/providers/storage';
import { afterAll, describe, expect, test } from 'vitest';
import { isLongRun } from '../../support/full-run.ts';
import { startS3Server } from './s3-server.ts';
import { openWorld } from './world.ts';

const s3 = await startS3Server();
const bucket = await openS3FileStore(s3.settings);
afterAll(async () => {
  bucket.close();
  await s3.close();
});
const { db, newCaller } = await openWorld({ files: bucket });

const stores: Array<[string, FileStore]> = [
  ['Postgres', createPostgresFileStore(db)],
  ['S3', bucket],
];

const mib = 1024 * 1024;

// Unreferenced buffers count as memory until they are collected.
setFlagsFromString('--expose-gc');
// `gc` has no declared type.
const collectGarbage = runInNewContext('gc') as () => void;

async function* pieces(total: number, size: number, onPiece?: (piece: Buffer) => void) {
  for (let sent = 0; sent < total; sent += size) {
    const piece = randomBytes(Math.min(size, total - sent));
    onPiece?.(piece);
    yield piece;
  }
}

async function digest(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of bytes) hash.update(piece);
  return hash.digest('hex');
}

async function drain(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const piece of bytes) size += piece.length;
  return size;
}

describe.each(stores)('files in %s', (_, store) => {
  test.each([1, mib - 1, mib, mib + 1, 12 * mib + 7])('of %i bytes come back as they were', async (size) => {
    const key = `test/${randomUUID()}`;
    const written = createHash('sha256');
    await store.write(
      key,
      pieces(size, 60_000, (piece) => written.update(piece)),
    );
    expect(await digest(store.read(key))).toBe(written.digest('hex'));
    await store.remove(key);
    await expect(drain(store.read(key))).rejects.toMatchObject({ code: 'file_missing' });
    await store.remove(key);
  });

  test('give a part of a file, from its first byte to its last', async () => {
    const key = `test/${randomUUID()}`;
    const whole = randomBytes(3 * mib + 7);
    await store.write(key, Readable.from([whole]));
    const last = whole.length - 1;
    // The S3 server of these tests treats a last byte of 0 as absent.
    const parts = [
      [0, 1],
      [last, last],
      [mib - 1, mib],
      [mib, 2 * mib - 1],
      [5, 3 * mib + 1],
      [0, last],
    ] as const;
    for (const [start, end] of parts) {
      const read = await Array.fromAsync(store.read(key, { start, end }));
      expect(Buffer.concat(read).equals(whole.subarray(start, end + 1)), `${start} to ${end}`).toBe(true);
    }
    await store.remove(key);
    await expect(drain(store.read(key, { start: mib, end: mib }))).rejects.toMatchObject({
      code: 'file_missing',
    });
  });

  test('an interrupted upload is reported', async () => {
    async function* broken() {
      yield* pieces(6 * mib, 60_000);
      throw new Error('the caller has gone');
    }
    const key = `test/${randomUUID()}`;
    await expect(store.write(key, broken())).rejects.toThrow('the caller has gone');
    await store.remove(key);
  });

  // The S3 server of these tests runs in this process, and hashes each byte several times.
  test.runIf(isLongRun)('are never whole in memory', async () => {
    const key = `test/${randomUUID()}`;
    const atMost = 40 * mib;
    const size = 160 * mib;
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    const held = () => process.memoryUsage().arrayBuffers - before;
    let most = 0;
    let looks = 0;
    const look = () => {
      looks += 1;
      if (looks % 20 !== 0) return;
      // A full collection takes long, so it only runs when the memory is above the limit.
      if (held() >= atMost) {
        // Buffers are freed on another thread, which may be late on a busy machine. The second collection waits for the first.
        collectGarbage();
        collectGarbage();
      }
      most = Math.max(most, held());
    };
    const piece = randomBytes(128 * 1024);
    await store.write(
      key,
      (async function* () {
        for (let sent = 0; sent < size; sent += piece.length) {
          look();
          yield piece;
        }
      })(),
    );
    for await (const _ of store.read(key)) look();
    await store.remove(key);
    expect(looks).toBeGreaterThan(500);
    expect(most).toBeLessThan(atMost);
  });
});

describe('reading the end of a large file costs only that part', () => {
  const range = { start: 12 * mib - 100, end: 12 * mib - 1 };

  test('in Postgres, which reads one chunk', async () => {
    const key = `test/${randomUUID()}`;
    const store = createPostgresFileStore(db);
    await store.write(key, pieces(12 * mib, mib));
    // A chunk that does not exist cannot have been read.
    await db.deleteFrom('file_chunks').where('key', '=', key).where('position', '<', 11).execute();
    expect(await drain(store.read(key, range))).toBe(100);
    await store.remove(key);
  });

  test('on S3, which sends only the range', async () => {
    const key = `test/${randomUUID()}`;
    await bucket.write(key, pieces(12 * mib, mib));
    let sent = 0;
    const counting = createServer((near) => {
      const far = connectTo(Number(new URL(s3.settings.endpoint ?? '').port), '127.0.0.1');
      far.on('data', (bytes) => (sent += bytes.length));
      // Either side may reset the connection when the client closes.
      pipeline(near, far, near, () => undefined);
    });
    counting.listen(0, '127.0.0.1');
    await once(counting, 'listening');
    const address = counting.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const counted = await openS3FileStore({ ...s3.settings, endpoint: `http://127.0.0.1:${address.port}` });
    expect(await drain(counted.read(key, range))).toBe(100);
    counted.close();
    counting.close();
    await bucket.remove(key);
    expect(sent).toBeGreaterThan(100);
    expect(sent).toBeLessThan(64 * 1024);
  });
});

test('a knowledge base works on S3 from upload to deletion', async () => {
  const caller = await newCaller();
  const base = await caller.newBase();
  const { data } = await caller.upload(base, 'kept in a bucket', { fileName: 'a.txt' });
  expect(await caller.settled(base, data['id'])).toMatchObject({
    status: 'ready',
    content: 'kept in a bucket',
  });
  const { key } = await db.selectFrom('stored_files').select('key').executeTakeFirstOrThrow();
  expect(await drain(bucket.read(key))).toBe(16);
  expect((await caller.delete(`/${base}`)).status).toBe(200);
  await expect(drain(bucket.read(key))).rejects.toMatchObject({ code: 'file_missing' });
});
