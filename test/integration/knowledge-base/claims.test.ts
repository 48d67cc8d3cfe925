import { claimDocument, organizationsWithDocuments, saveExtraction } from '@outdial/db';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { useIngestion } from './ingestion-world.ts';

const { db, newBase, uploaded } = await useIngestion();
/** Removes documents that an earlier test left waiting. */
afterEach(() => sql`delete from knowledge_base_documents`.execute(db));

type Base = Awaited<ReturnType<typeof newBase>>;
const organizationOf = ({ caller }: Base) => caller.organizationId;
const claim = (base: Base) => claimDocument(db, { organizationId: organizationOf(base), leaseSeconds: 10 });
const first = '00000000-0000-0000-0000-000000000000';

describe('a claim', () => {
  test('takes the oldest document of its organization, until none is left', async () => {
    const [base, other] = [await newBase(), await newBase()];
    const [theirs] = await uploaded(other, ['theirs']);
    const ids = await uploaded(base, ['1', '2', '3']);
    for (const itemId of ids) expect(await claim(base)).toMatchObject({ itemId });
    expect(await claim(base)).toBeNull();
    expect(await claim(other)).toMatchObject({ itemId: theirs });
  });

  test('skips documents that are being deleted', async () => {
    const base = await newBase();
    const ids = await uploaded(base, ['1', '2']);
    await db.transaction().execute(async (deletion) => {
      await sql`
        delete from knowledge_base_documents where id in
          (select document_id from knowledge_base_items where id = ${ids[0]})`.execute(deletion);
      expect(await claim(base)).toMatchObject({ itemId: ids[1] });
      expect(await claim(base)).toBeNull();
    });
  });

  test('never takes a document of a concurrent claim', async () => {
    const base = await newBase();
    const ids = await uploaded(
      base,
      Array.from({ length: 12 }, (_, at) => `text ${at}`),
    );
    const claims = await Promise.all(ids.map(() => claim(base)));
    const claimed = claims.flatMap((lease) => lease?.itemId ?? []);
    expect(new Set(claimed).size).toBe(claimed.length);
  });
});

test('organizations whose documents wait are found, each once, whichever was served last', async () => {
  const bases = [await newBase(), await newBase(), await newBase()];
  const [one, two, served] = bases as [Base, Base, Base];
  for (const base of bases) await uploaded(base, ['1', '2']);
  await claim(served);
  await claim(served);
  const expected = [organizationOf(one), organizationOf(two)].toSorted();
  for (const after of [first, ...bases.map(organizationOf)]) {
    expect((await organizationsWithDocuments(db, after)).toSorted()).toEqual(expected);
  }
});

test('a text of more rows than a statement takes is saved whole', async () => {
  const base = await newBase();
  await uploaded(base, ['long']);
  const lease = await claim(base);
  const pages = Array.from({ length: 1_201 }, (_, at) => `page ${at + 1}`);
  const passages = pages.map((text, at) => ({
    page: at + 1,
    text,
    searchConfig: 'simple',
    searchText: null,
  }));
  if (lease === null) throw new Error('nothing to claim');
  expect(await saveExtraction(db, lease, { pages, passages })).toBe(true);
  const { rows } = await sql<{ number: number; page: string; position: number; passage: string }>`
    select p.number, p.text as page, s.position, s.text as passage from knowledge_base_pages p
    join knowledge_base_passages s on s.document_id = p.document_id and s.position = p.number - 1
    where p.document_id = ${lease.documentId} order by p.number`.execute(db);
  expect(rows).toEqual(pages.map((page, at) => ({ number: at + 1, page, position: at, passage: page })));
});
