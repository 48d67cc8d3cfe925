import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FileStore } from '@outdial/core';
import { createPostgresFileStore } from '@outdial/db';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { childEnvironment } from '../../support/child-environment.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { page, useIngestion } from './ingestion-world.ts';
import { limitFor, patientMs } from './time-limits.ts';

const { db, files, databaseUrl, newBase, uploaded, settled, statusOf, sweep, later, work } =
  await useIngestion();
/** Removes documents that an earlier test left waiting. */
afterEach(() => sql`delete from knowledge_base_documents`.execute(db));

const documents = new URL('../../fixtures/documents/', import.meta.url);
const bomb = await readFile(new URL('decompression-bomb.pdf', documents));
const endless = await readFile(new URL('endless-loop.pdf', documents));
async function countOf(status: 'processing' | 'ready'): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from knowledge_base_documents where status = ${status}`.execute(db);
  return rows[0]?.count ?? 0;
}

describe('a worker', () => {
  test('with harmful files among many fails only those', async () => {
    const base = await newBase();
    const good = (text: string) => ({ content: page(text), is: { status: 'ready', content: text } });
    // The limit that each of the two reaches first depends on the load of the machine.
    const hurt = (content: Buffer<ArrayBuffer>) => ({
      content,
      is: { status: 'failed', error: expect.stringMatching(/memory|longer than/) as unknown },
    });
    const cases = [
      good('first'),
      hurt(bomb),
      good('second'),
      good('third'),
      hurt(endless),
      { content: Buffer.from('%PDF-1.7\n1 0 obj'), is: { status: 'failed' } },
      good('fourth'),
      good('fifth'),
    ];
    const ids = await uploaded(
      base,
      cases.map(({ content }) => content),
    );
    work({ extraction: { memoryMb: 300, timeoutMs: limitFor([bomb, endless], 4_000) } });
    const items = await settled(base, ids);
    items.forEach((item, at) => expect(item).toMatchObject(cases[at]?.is ?? {}));
    // None of the files was read twice.
    const { rows } = await sql`select distinct attempts from knowledge_base_documents`.execute(db);
    expect(rows).toEqual([{ attempts: 1 }]);
  });

  test('reads all files, though they have few jobs', async () => {
    const base = await newBase();
    const contents = Array.from({ length: 60 }, (_, at) => `text ${at}`);
    const ids = await uploaded(base, contents);
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from bullmq.job where data->>'item_id' = any(${ids})`.execute(db);
    expect(rows[0]?.count).toBeLessThanOrEqual(32);
    work();
    const items = await settled(base, ids, { sweeps: false });
    expect(items.map((item) => item['content'])).toEqual(contents);
  });

  test('that loses the lease of one document gives up only that one', async () => {
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
    await waitFor('two to be ready', async () => (await countOf('ready')) === 2);
    const states = await Promise.all(ids.map((id) => statusOf(base, id)));
    expect(states.filter((status) => status === 'processing')).toHaveLength(1);
    expect(reads).toBe(3);
  });

  test('takes one file more than it reads: other workers take the rest', async () => {
    const base = await newBase();
    const ids = await uploaded(
      base,
      Array.from({ length: 10 }, (_, at) => `text ${at}`),
    );
    const { promise: mayRead, resolve: letRead } = Promise.withResolvers<void>();
    const slow: FileStore = {
      ...files,
      async *read(key) {
        await mayRead;
        yield* files.read(key);
      },
    };
    work({}, slow);
    await waitFor('it to take two', async () => (await countOf('processing')) === 2);
    work();
    await waitFor('all but two to be read', async () => (await countOf('ready')) === ids.length - 2);
    letRead();
    for (const item of await settled(base, ids)) expect(item).toMatchObject({ status: 'ready' });
  });

  test('reads the others while one place reads a file without end', async () => {
    const base = await newBase();
    const [stuck = '', ...ids] = await uploaded(base, [
      endless,
      ...['1', '2', '3', '4', '5', '6', '7', '8'].map(page),
    ]);
    work({ concurrency: 2, extraction: { timeoutMs: patientMs } });
    await waitFor('the endless one to be read', async () => (await statusOf(base, stuck)) === 'processing');
    await waitFor('the others to be ready', async () => (await countOf('ready')) === ids.length);
    expect(await statusOf(base, stuck)).toBe('processing');
  });

  test('with a silent store frees its capacity when the leases are lost', async () => {
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
    work({ leaseSeconds: 3 }, store);
    await isAsked;
    await sql`delete from knowledge_base_documents`.execute(db);
    const [next = ''] = await uploaded(base, ['there']);
    expect(await base.caller.settled(base.base, next)).toMatchObject({ status: 'ready', content: 'there' });
    expect(silent).not.toBe(next);
  });

  test('permanently fails a text that Postgres cannot store, and saves the others', async () => {
    const base = await newBase();
    await sql`create function refuse_poison() returns trigger language plpgsql as $$
      begin
        if new.text like '%poison%' then raise exception 'no such text' using errcode = '22P05'; end if;
        return new;
      end $$`.execute(db);
    await sql`create trigger refuse_poison before insert on knowledge_base_pages
      for each row execute function refuse_poison()`.execute(db);
    try {
      const ids = await uploaded(base, ['one', 'a text of poison', 'two']);
      work();
      const items = await settled(base, ids);
      expect(items.map((item) => item['status'])).toEqual(['ready', 'failed', 'ready']);
      expect(items[1]).toMatchObject({ error: expect.stringContaining('cannot be stored') as unknown });
    } finally {
      await sql`drop trigger refuse_poison on knowledge_base_pages`.execute(db);
    }
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
        env: { ...childEnvironment, DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' },
      },
    );
    // Some are saved and some are not; at least the endless one.
    await waitFor('a first one to be taken', async () => (await statusOf(base, ids[0] ?? '')) !== 'pending');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await later(16);
    await sweep();
    work({ extraction: { timeoutMs: limitFor([endless], 1_500) } });
    const items = await settled(base, ids);
    expect(items.map((item) => item['content'] ?? null)).toEqual([...contents, null]);
    const { rows } = await sql<{ pages: number; passages: number; indexed: number }>`
      select (select count(*)::integer from knowledge_base_pages) as pages,
        (select count(*)::integer from knowledge_base_passages) as passages,
        (select count(*)::integer from knowledge_base_index) as indexed`.execute(db);
    expect(rows).toEqual([{ pages: 10, passages: 10, indexed: 10 }]);
  });
});
