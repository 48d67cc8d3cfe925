import type { ExtractorLoad } from '@outdial/core';
import {
  chargeReading,
  claimDocuments,
  type IngestionLease,
  releaseDocuments,
  renewLeases,
  saveExtractions,
} from '@outdial/db';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { useIngestion } from './ingestion-world.ts';

const { db, newBase, uploaded, later, sweep } = await useIngestion();
/** Removes documents that an earlier test left waiting. */
afterEach(() => sql`delete from knowledge_base_documents`.execute(db));

const batch = { documents: 3, smallBytes: 1_000 };
async function claim(
  itemId: string | undefined,
  options = batch,
  anySmall = false,
  load: ExtractorLoad = 'free',
) {
  const request = { itemId: itemId ?? '', anySmall, load, leaseSeconds: 10, batch: options };
  return (await claimDocuments(db, request)).leases;
}
const itemsOf = (leases: readonly IngestionLease[]) => leases.map((lease) => lease.itemId ?? '');

describe('a claim', () => {
  test('takes the oldest small ones along, as many as it may, and leaves the rest to later ones', async () => {
    const base = await newBase();
    const ids = await uploaded(base, ['1', '2', '3', '4', '5', '6']);
    const first = await claim(ids[3]);
    expect(new Set(itemsOf(first))).toEqual(new Set([ids[3], ids[0], ids[1]]));
    expect(new Set(first.map((lease) => lease.leaseId)).size).toBe(3);
    // The job's document is already claimed, so the claim takes a waiting one.
    expect(new Set(itemsOf(await claim(ids[0])))).toEqual(new Set([ids[2], ids[4], ids[5]]));
    expect(await claim(ids[2])).toEqual([]);
  });

  test('of a large one takes it alone, and no small one takes a large one along', async () => {
    const base = await newBase();
    const ids = await uploaded(base, ['x'.repeat(1_001), 'small', 'y'.repeat(1_001), 'little']);
    expect(itemsOf(await claim(ids[2]))).toEqual([ids[2]]);
    expect(new Set(itemsOf(await claim(ids[3])))).toEqual(new Set([ids[3], ids[1]]));
  });

  test('for small documents takes all waiting ones, except interrupted and large ones', async () => {
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

  test('takes an interrupted document alone, because it may have killed the worker', async () => {
    const base = await newBase();
    const ids = await uploaded(base, ['1', '2', '3']);
    expect(await claim(ids[0])).toHaveLength(3);
    await later(11);
    expect(await sweep()).toMatchObject({ returned: 3 });
    const fresh = await uploaded(base, ['4']);
    expect(itemsOf(await claim(ids[1]))).toEqual([ids[1]]);
    expect(itemsOf(await claim(fresh[0]))).toEqual(fresh);
  });

  test('skips documents that are being deleted', async () => {
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

  test('never takes a document of a concurrent claim', async () => {
    const base = await newBase();
    const ids = await uploaded(
      base,
      Array.from({ length: 12 }, (_, at) => `text ${at}`),
    );
    const claims = await Promise.all(ids.map((id) => claim(id, { documents: 5, smallBytes: 1_000 })));
    expect(itemsOf(claims.flat()).toSorted()).toEqual(ids.toSorted());
  });
});

describe('between organizations', () => {
  const alone = { documents: 1, smallBytes: 1_000 };
  const large = (text: string) => text.repeat(1_001);

  test('a claim serves the organization with the least recent reading time, on any worker', async () => {
    const [greedy, modest] = [await newBase(), await newBase()];
    const flood = await uploaded(greedy, ['a', 'b', 'c', 'd'].map(large));
    const [theirs] = await uploaded(modest, [large('x')]);
    await chargeReading(db, new Map([[greedy.caller.organizationId, 5_000]]));
    expect(itemsOf(await claim(flood[0]))).toEqual([theirs]);
    // The first organization has a document in progress, and the other has none, so it is the other's turn.
    expect(itemsOf(await claim(flood[2]))).toEqual([flood[2]]);
    expect(itemsOf(await claim(theirs))).toEqual([flood[0]]);
  });

  test('old usage no longer counts', async () => {
    const [early, late] = [await newBase(), await newBase()];
    await chargeReading(db, new Map([[early.caller.organizationId, 60_000]]));
    await later(3_600);
    await chargeReading(db, new Map([[late.caller.organizationId, 100]]));
    const [ofEarly] = await uploaded(early, [large('a')]);
    const [ofLate] = await uploaded(late, [large('b')]);
    expect(itemsOf(await claim(ofLate))).toEqual([ofEarly]);
  });

  test('an organization without budget waits while long files occupy all readers', async () => {
    const [greedy, modest] = [await newBase(), await newBase()];
    const flood = await uploaded(greedy, ['a', 'b', large('c')]);
    await chargeReading(db, new Map([[greedy.caller.organizationId, 60_000]]));
    for (const id of flood) expect(await claim(id, batch, id !== flood[2], 'stuck')).toEqual([]);
    const [theirs] = await uploaded(modest, ['x']);
    expect(itemsOf(await claim(flood[0], batch, true, 'stuck'))).toEqual([theirs]);
    expect(itemsOf(await claim(flood[0], batch, true, 'busy'))).toEqual(flood.slice(0, 2));
  });

  test('small files are read in turn: an organization with many in progress comes last', async () => {
    const [greedy, modest] = [await newBase(), await newBase()];
    const flood = await uploaded(
      greedy,
      Array.from({ length: 12 }, (_, at) => `flood ${at}`),
    );
    expect(await claim(flood[0], { documents: 4, smallBytes: 1_000 }, true)).toHaveLength(4);
    const theirs = await uploaded(modest, ['one', 'two']);
    const next = itemsOf(await claim(flood[6], { documents: 4, smallBytes: 1_000 }, true));
    expect(next).toEqual(expect.arrayContaining(theirs));
  });

  test('a slow file waits for a regular slot', async () => {
    const base = await newBase();
    const [slow, other] = await uploaded(base, ['slow', 'other']);
    const [lease] = await claim(slow, alone);
    await releaseDocuments(db, lease ? [lease] : [], { slow: true });
    expect(await claim(slow, alone, true, 'busy')).toMatchObject([{ itemId: other, isSlow: false }]);
    expect(await claim(slow, alone, false, 'stuck')).toEqual([]);
    expect(await claim(slow, alone, true, 'free')).toMatchObject([{ itemId: slow, isSlow: true }]);
  });
});

test('a lost lease does not affect documents that were claimed with it', async () => {
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
