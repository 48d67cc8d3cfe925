import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FileStore } from '@outdial/core';
import {
  claimDocuments,
  createPostgresFileStore,
  type IngestionLease,
  renewLeases,
  saveExtractions,
} from '@outdial/db';
import { openPublisher } from '@outdial/queues';
import { createLogger } from '@outdial/runtime';
import { sweepIngestion } from '@outdial/scheduler/ingestion-sweep';
import { sql } from 'kysely';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { useTestDatabase } from '../../support/database.ts';
import { drawPdf } from './draw-pdf.ts';
import { type Caller, openWorker, openWorld } from './world.ts';

const database = await useTestDatabase();
const queue = { kind: 'postgres', url: database.databaseUrl } as const;
const world = await openWorld({ databaseUrl: database.databaseUrl, worker: false });
const publisher = openPublisher(queue, { log: createLogger({ service: 'test', level: 'silent' }) });
const { db, files } = world;
const sweep = () => sweepIngestion({ db, publisher, files });
const later = (seconds: number) =>
  sql`update engine_clock set offset_ms = offset_ms + ${seconds * 1_000}`.execute(db);

const open: { close(): Promise<void> }[] = [];
/** What a test left waiting is not the next one's. */
afterEach(async () => {
  await Promise.all(open.splice(0).map((worker) => worker.close()));
  await sql`delete from knowledge_base_documents`.execute(db);
});
afterAll(async () => {
  await publisher.close();
  await world.close();
});

function work(options: Parameters<typeof openWorker>[3] = {}, store: FileStore = files) {
  const worker = openWorker(db, store, queue, options);
  open.push(worker);
  return worker;
}

const documents = new URL('../../fixtures/documents/', import.meta.url);
const bomb = await readFile(new URL('decompression-bomb.pdf', documents));
const endless = await readFile(new URL('endless-loop.pdf', documents));
const page = (text: string) => drawPdf({ pages: [text] });

interface Base {
  caller: Caller;
  base: string;
}

async function newBase(): Promise<Base> {
  const caller = await world.newCaller();
  return { caller, base: await caller.newBase() };
}

/** Uploads, in order, and gives their items. */
async function uploaded({ caller, base }: Base, contents: readonly (Uint8Array<ArrayBuffer> | string)[]) {
  const ids: string[] = [];
  for (const content of contents) ids.push(String((await caller.upload(base, content)).data['id']));
  return ids;
}

/** Once all are ready or failed; what is handed back is published again in the meantime, as the scheduler does it. */
async function settled({ caller, base }: Base, ids: readonly string[]) {
  const sweeps = setInterval(() => void sweep(), 200);
  try {
    return await Promise.all(ids.map((id) => caller.settled(base, id)));
  } finally {
    clearInterval(sweeps);
  }
}

async function statusOf({ caller, base }: Base, id: string): Promise<unknown> {
  return (await caller.get(`/${base}/items/${id}`)).data['status'];
}

async function until(isSo: () => Promise<boolean>, withinMs = 20_000): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error('it has not come');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function countOf(status: 'processing' | 'ready'): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from knowledge_base_documents where status = ${status}`.execute(db);
  return rows[0]?.count ?? 0;
}

const batch = { documents: 3, smallBytes: 1_000 };
async function claim(itemId: string | undefined, options = batch, anySmall = false) {
  const request = { itemId: itemId ?? '', anySmall, leaseSeconds: 10, batch: options };
  return (await claimDocuments(db, request)).leases;
}
const itemsOf = (leases: readonly IngestionLease[]) => leases.map((lease) => lease.itemId ?? '');

describe('a claim', () => {
  test('takes the oldest small ones along, as many as it may, and leaves the rest to others', async () => {
    const base = await newBase();
    const ids = await uploaded(base, ['1', '2', '3', '4', '5', '6']);
    const first = await claim(ids[3]);
    expect(new Set(itemsOf(first))).toEqual(new Set([ids[3], ids[0], ids[1]]));
    expect(new Set(first.map((lease) => lease.leaseId)).size).toBe(3);
    expect(await claim(ids[0])).toEqual([]);
    expect(new Set(itemsOf(await claim(ids[2])))).toEqual(new Set([ids[2], ids[4], ids[5]]));
  });

  test('of a large one takes it alone, and no small one takes a large one along', async () => {
    const base = await newBase();
    const ids = await uploaded(base, ['x'.repeat(1_001), 'small', 'y'.repeat(1_001), 'little']);
    expect(itemsOf(await claim(ids[2]))).toEqual([ids[2]]);
    expect(new Set(itemsOf(await claim(ids[3])))).toEqual(new Set([ids[3], ids[1]]));
  });

  test('of any small one takes what there is, and leaves alone what was interrupted or is large', async () => {
    const base = await newBase();
    const ids = await uploaded(base, ['x'.repeat(1_001), '1', '2', '3']);
    const [interrupted] = await claim(ids[1], { ...batch, documents: 1 });
    await later(11);
    expect(await sweep()).toMatchObject({ returned: 1 });
    expect(itemsOf(await claim(ids[2], { ...batch, documents: 1 }, true))).toEqual([ids[2]]);
    for (const asked of [interrupted?.itemId, ids[2], ids[0]]) {
      expect(itemsOf(await claim(asked ?? '', { ...batch, documents: 1 }, true))).toEqual(
        asked === interrupted?.itemId ? [ids[3]] : [],
      );
    }
    expect(itemsOf(await claim(ids[1]))).toEqual([ids[1]]);
  });

  test('takes alone what has been interrupted before, whichever of them it was that ended the worker', async () => {
    const base = await newBase();
    const ids = await uploaded(base, ['1', '2', '3']);
    expect(await claim(ids[0])).toHaveLength(3);
    await later(11);
    expect(await sweep()).toMatchObject({ returned: 3 });
    const fresh = await uploaded(base, ['4']);
    expect(itemsOf(await claim(ids[1]))).toEqual([ids[1]]);
    expect(itemsOf(await claim(fresh[0]))).toEqual(fresh);
  });

  test('waits for none that is being deleted, and takes the others', async () => {
    const base = await newBase();
    const ids = await uploaded(base, ['1', '2', '3']);
    await db.transaction().execute(async (deletion) => {
      await sql`
        delete from knowledge_base_documents where id in
          (select document_id from knowledge_base_items where id = ${ids[0]})`.execute(deletion);
      expect(await claim(ids[0])).toEqual([]);
      expect(new Set(itemsOf(await claim(ids[0], batch, true)))).toEqual(new Set(ids.slice(1)));
    });
  });

  test('never takes what another one takes at the same moment', async () => {
    const base = await newBase();
    const ids = await uploaded(
      base,
      Array.from({ length: 12 }, (_, at) => `text ${at}`),
    );
    const claims = await Promise.all(ids.map((id) => claim(id, { documents: 5, smallBytes: 1_000 })));
    expect(itemsOf(claims.flat()).toSorted()).toEqual(ids.toSorted());
  });
});

test('a lease that was lost takes nothing from those that were claimed with it', async () => {
  const base = await newBase();
  const ids = await uploaded(base, ['1', '2', '3']);
  const leases = await claim(ids[0]);
  const [lost, ...kept] = leases;
  await sql`update knowledge_base_documents set lease_id = gen_random_uuid() where id = ${lost?.documentId}`.execute(
    db,
  );
  const progress = leases.map((lease) => ({ lease, pagesDone: 1, pagesTotal: 2 }));
  const held = new Set(kept.map((lease) => lease.leaseId));
  expect(await renewLeases(db, progress, 10)).toEqual(held);
  const passages = [{ page: 1, text: 'text', searchConfig: 'simple', searchText: null }];
  const texts = leases.map((lease) => ({ lease, text: { pages: ['text'], passages } }));
  expect(await saveExtractions(db, texts)).toEqual(held);
  const { rows } = await sql`select document_id as "documentId" from knowledge_base_passages`.execute(db);
  expect(new Set(rows)).toEqual(new Set(kept.map(({ documentId }) => ({ documentId }))));
});

describe('a worker', { timeout: 60_000 }, () => {
  test('whose files hurt in the middle of many fails those alone', async () => {
    const base = await newBase();
    const good = (text: string) => ({ content: page(text), is: { status: 'ready', content: text } });
    const cases = [
      good('first'),
      { content: bomb, is: { status: 'failed', error: expect.stringMatching(/memory/) as unknown } },
      good('second'),
      good('third'),
      { content: endless, is: { status: 'failed', error: expect.stringMatching(/longer than/) as unknown } },
      { content: Buffer.from('%PDF-1.7\n1 0 obj'), is: { status: 'failed' } },
      good('fourth'),
      good('fifth'),
    ];
    const ids = await uploaded(
      base,
      cases.map(({ content }) => content),
    );
    work({ extraction: { memoryMb: 300, timeoutMs: 3_000 } });
    const items = await settled(base, ids);
    items.forEach((item, at) => expect(item).toMatchObject(cases[at]?.is ?? {}));
    // None of them was tried twice.
    const { rows } = await sql`select distinct attempts from knowledge_base_documents`.execute(db);
    expect(rows).toEqual([{ attempts: 1 }]);
  });

  test('reads all small files, though they have few jobs', async () => {
    const base = await newBase();
    const contents = Array.from({ length: 60 }, (_, at) => `text ${at}`);
    const ids = await uploaded(base, contents);
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from bullmq.job where data->>'item_id' = any(${ids})`.execute(db);
    expect(rows[0]?.count).toBeLessThanOrEqual(8);
    work();
    const items = await Promise.all(ids.map((id) => base.caller.settled(base.base, id)));
    expect(items.map((item) => item['content'])).toEqual(contents);
  });

  test('that loses the lease of one of many gives up that one', async () => {
    const base = await newBase();
    const ids = await uploaded(base, ['lost', 'kept', 'kept as well']);
    const store = createPostgresFileStore(db);
    let reads = 0;
    const thieving: FileStore = {
      ...store,
      async *read(key) {
        if (reads++ === 0) {
          await sql`update knowledge_base_documents set lease_id = gen_random_uuid() where file_key = ${key}`.execute(
            db,
          );
        }
        yield* store.read(key);
      },
    };
    work({}, thieving);
    await until(async () => (await countOf('ready')) === 2);
    const states = await Promise.all(ids.map((id) => statusOf(base, id)));
    expect(states.filter((status) => status === 'processing')).toHaveLength(1);
    expect(reads).toBe(3);
  });

  test('takes no more than it reads soon: the others take the rest', async () => {
    const base = await newBase();
    const ids = await uploaded(
      base,
      Array.from({ length: 40 }, (_, at) => `text ${at}`),
    );
    const { promise: mayRead, resolve: letRead } = Promise.withResolvers<void>();
    const slow: FileStore = {
      ...files,
      async *read(key) {
        await mayRead;
        yield* files.read(key);
      },
    };
    work({ concurrency: 2 }, slow);
    await until(async () => (await countOf('processing')) > 0);
    work();
    await until(async () => (await countOf('ready')) >= ids.length - 16);
    // All that one claim may take.
    expect(await countOf('processing')).toBe(16);
    letRead();
    for (const item of await settled(base, ids)) expect(item).toMatchObject({ status: 'ready' });
  });

  test('that reads a file without end hands back those behind it, and others take them', async () => {
    const base = await newBase();
    const [stuck = '', ...ids] = await uploaded(base, [endless, ...['1', '2', '3', '4'].map(page)]);
    work({ extraction: { timeoutMs: 50_000 } });
    await until(async () => (await statusOf(base, stuck)) === 'processing');
    work({ extraction: { timeoutMs: 50_000 } });
    await until(async () => {
      await sweep();
      return (await Promise.all(ids.map((id) => statusOf(base, id)))).every((status) => status === 'ready');
    });
    expect(await statusOf(base, stuck)).toBe('processing');
  });

  test('with two readers reads the others while one reads a file without end', async () => {
    const base = await newBase();
    const [stuck = '', ...ids] = await uploaded(base, [
      endless,
      ...['1', '2', '3', '4', '5', '6', '7', '8'].map(page),
    ]);
    work({ concurrency: 2, extraction: { timeoutMs: 50_000 } });
    await until(async () => (await statusOf(base, stuck)) === 'processing');
    await until(async () => {
      await sweep();
      return (await countOf('ready')) === ids.length;
    }, 6_000);
    expect(await statusOf(base, stuck)).toBe('processing');
  });

  test('whose store is slow keeps what it has until it is there', async () => {
    const base = await newBase();
    const ids = await uploaded(base, ['1', '2', '3', '4']);
    const reads: string[] = [];
    const { promise: mayRead, resolve: letRead } = Promise.withResolvers<void>();
    const slow: FileStore = {
      ...files,
      async *read(key) {
        reads.push(key);
        // The first to come is there at once, and is read; no other is there for longer than a turn may take.
        if (reads.length > 1) await mayRead;
        yield* files.read(key);
      },
    };
    work({}, slow);
    await until(async () => reads.length === ids.length);
    const letThem = setTimeout(letRead, 2_500);
    for (const item of await settled(base, ids)) expect(item).toMatchObject({ status: 'ready' });
    clearTimeout(letThem);
    // Each was read once: none was handed back and taken again.
    expect(new Set(reads).size).toBe(reads.length);
  });

  test('whose store never answers has its room back when the leases are lost', async () => {
    const base = await newBase();
    const [silent = ''] = await uploaded(base, ['never there']);
    const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
    let isSilent = true;
    const store: FileStore = {
      ...files,
      async *read(key) {
        if (isSilent) {
          isSilent = false;
          ask();
          await new Promise(() => undefined);
        }
        yield* files.read(key);
      },
    };
    work({}, store);
    await isAsked;
    await sql`delete from knowledge_base_documents`.execute(db);
    const [next = ''] = await uploaded(base, ['there']);
    expect(await base.caller.settled(base.base, next)).toMatchObject({ status: 'ready', content: 'there' });
    expect(silent).not.toBe(next);
  });

  test('that is killed in the middle of many leaves none behind and none twice', async () => {
    const base = await newBase();
    const contents = Array.from({ length: 10 }, (_, at) => `text ${at}`);
    const ids = await uploaded(base, [...contents.map(page), endless]);
    const killed = spawn(
      process.execPath,
      [fileURLToPath(new URL('../../../worker/src/main.ts', import.meta.url))],
      {
        stdio: 'ignore',
        env: { PATH: process.env['PATH'], DATABASE_URL: database.databaseUrl, LOG_LEVEL: 'error' },
      },
    );
    // Some are written down, and others are not: the endless one at least.
    await until(async () => (await statusOf(base, ids[0] ?? '')) !== 'pending');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await later(16);
    await sweep();
    work({ extraction: { timeoutMs: 3_000 } });
    const items = await settled(base, ids);
    expect(items.map((item) => item['content'] ?? null)).toEqual([...contents, null]);
    const { rows } = await sql<{ pages: number; passages: number; indexed: number }>`
      select (select count(*)::integer from knowledge_base_pages) as pages,
        (select count(*)::integer from knowledge_base_passages) as passages,
        (select count(*)::integer from knowledge_base_index) as indexed`.execute(db);
    expect(rows).toEqual([{ pages: 10, passages: 10, indexed: 10 }]);
  });
});
