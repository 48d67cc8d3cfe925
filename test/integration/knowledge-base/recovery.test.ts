import { prepareQueueBackend } from '@outdial/queues';
import { FileMissingError, type FileStore } from '@outdial/core';
import {
  claimDocument,
  createPostgresFileStore,
  failDocument,
  type IngestionLease,
  renewLease,
  saveExtraction,
} from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { useIngestion } from './ingestion-world.ts';
import { openWorld } from './world.ts';

const { db, files, queue, later, newCaller, sweep, work } = await useIngestion();
const text = (content: string) => ({
  pages: [content],
  passages: [{ page: 1, text: content, searchConfig: 'simple', searchText: null }],
});

async function uploaded(content: string) {
  const caller = await newCaller();
  const base = await caller.newBase();
  const { data } = await caller.upload(base, content);
  const itemId = String(data['id']);
  const status = async () => (await caller.get(`/${base}/items/${itemId}`)).data;
  return { caller, base, itemId, status };
}

const claim = (organizationId: string) => claimDocument(db, { organizationId, leaseSeconds: 10 });

async function claimOne(organizationId: string): Promise<IngestionLease> {
  const lease = await claim(organizationId);
  if (!lease) throw new Error('nothing to claim');
  return lease;
}

describe('a worker that dies', () => {
  test('loses its document to another, and can change nothing any more', async () => {
    const { status, caller } = await uploaded('first');
    const { organizationId } = caller;
    const dead = await claimOne(organizationId);
    expect(await status()).toMatchObject({ status: 'processing', content: null });
    expect(await claim(organizationId)).toBeNull();
    await later(11);
    expect(await sweep()).toMatchObject({ returned: 1, failed: 0, published: 1 });
    const alive = await claimOne(organizationId);
    expect(await renewLease(db, dead, 10)).toBe(false);
    expect(await failDocument(db, dead, { code: 'damaged', message: 'late' })).toBe(false);
    expect(await saveExtraction(db, dead, text('late'))).toBe(false);
    expect(await renewLease(db, alive, 10)).toBe(true);
    expect(await saveExtraction(db, alive, text('first'))).toBe(true);
    expect(await saveExtraction(db, alive, text('twice'))).toBe(false);
    expect(await status()).toMatchObject({ status: 'ready', content: 'first' });
    expect(await sweep()).toMatchObject({ returned: 0, published: 0 });
  });

  test('again and again, leaves a document that failed', async () => {
    const { status, caller, base } = await uploaded('deadly');
    for (let deaths = 1; deaths <= 3; deaths++) {
      await claimOne(caller.organizationId);
      await later(11);
      expect(await sweep()).toMatchObject(deaths < 3 ? { returned: 1 } : { failed: 1 });
    }
    const failed = await status();
    expect(failed).toMatchObject({ status: 'failed' });
    expect(String(failed['error'])).toMatch(/interrupted 3 times/);
    // A new upload of the file tries it again.
    const again = await caller.upload(base, 'deadly');
    expect(again.data).toMatchObject({ status: 'pending' });
  });
});

test('a job that was lost is published again', async () => {
  const { itemId, caller, base } = await uploaded('lost job');
  await sql`drop schema bullmq cascade`.execute(db);
  await prepareQueueBackend(queue);
  await later(11);
  expect((await sweep()).published).toBeGreaterThan(0);
  work();
  expect(await caller.settled(base, itemId)).toMatchObject({ status: 'ready', content: 'lost job' });
});

test('an upload that was never finished is removed', async () => {
  const { caller } = await uploaded('whole');
  await db
    .insertInto('stored_files')
    .values({ key: 'half/upload', organization_id: caller.organizationId })
    .execute();
  async function* half() {
    yield Buffer.from('half');
  }
  await files.write('half/upload', half());
  expect(await sweep()).toMatchObject({ filesRemoved: 0 });
  await later(3_700);
  expect(await sweep()).toMatchObject({ filesRemoved: 1 });
  await expect(files.read('half/upload')[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(
    FileMissingError,
  );
});

describe('a worker whose', () => {
  test('store cannot be reached hands the document back, and the next run succeeds', async () => {
    const { itemId, caller, base, status } = await uploaded('unreachable');
    const store = createPostgresFileStore(db);
    let failures = 1;
    const flaky: FileStore = {
      ...store,
      read(key) {
        if (failures-- > 0) throw new Error('the store is away');
        return store.read(key);
      },
    };
    work({}, flaky);
    // A sweep before the document is back would publish the run that fails. A job of a test before may be the next run.
    await waitFor(
      'the document to be back',
      async () => failures <= 0 && (await status())['status'] !== 'processing',
    );
    await later(11);
    await sweep();
    expect(await caller.settled(base, itemId)).toMatchObject({ status: 'ready', content: 'unreachable' });
  });

  test('file is missing reports it', async () => {
    const { itemId, caller, base } = await uploaded('vanished');
    await db.deleteFrom('file_chunks').where('key', 'like', `${caller.organizationId}/%`).execute();
    work();
    await later(11);
    await sweep();
    expect(await caller.settled(base, itemId)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/no longer in the file store/) as unknown,
    });
  });
});

describe('limits', async () => {
  const itemLimits = { itemsPerBase: 2, bytesPerOrganization: 1_500 };
  const small = await openWorld({ worker: false, config: { uploadLimitBytes: 1_000, itemLimits } });

  test('each has its error, and nothing is left behind', async () => {
    const caller = await small.newCaller();
    const base = await caller.newBase();
    const refused = (status: number, code: string) => ({ status, body: { code } });
    expect(await caller.upload(base, 'x'.repeat(1_001))).toMatchObject(refused(413, 'payload_too_large'));
    expect((await caller.upload(base, 'x'.repeat(1_000))).status).toBe(200);
    expect(await caller.upload(base, 'y'.repeat(501))).toMatchObject(refused(413, 'storage_quota_exceeded'));
    // Known content uses no further space.
    expect((await caller.upload(base, 'x'.repeat(1_000))).status).toBe(200);
    expect(await caller.upload(base, 'z')).toMatchObject(refused(409, 'too_many_items'));
    const kept = await small.db
      .selectFrom('stored_files')
      .select('state')
      .where('organization_id', '=', caller.organizationId)
      .execute();
    expect(kept).toEqual([{ state: 'kept' }]);
  });

  test('apply to concurrent uploads', async () => {
    const caller = await small.newCaller();
    const base = await caller.newBase();
    const uploads = Array.from({ length: 8 }, (_, at) => caller.upload(base, `file ${at}`));
    const statuses = (await Promise.all(uploads)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
    expect(statuses.filter((status) => status === 409)).toHaveLength(6);
  });
});
