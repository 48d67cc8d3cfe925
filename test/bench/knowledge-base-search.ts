import {
  connect,
  createKnowledgeBase,
  createOrganization,
  type Db,
  migrateToLatest,
  saveExtraction,
  searchPassages,
} from '@outdial/db';
import { sql } from 'kysely';
import { z } from 'zod';

/**
 * Measures searches among 50,000 passages of one knowledge base, in a database with as many of another: `DATABASE_URL=… node
 * test/bench/knowledge-base-search.ts`, on an empty database. Words follow Zipf's law, as in natural languages, and include twenty that every
 * business uses.
 */
const { DATABASE_URL: databaseUrl, PASSAGES: passageCount } = z
  .object({ DATABASE_URL: z.string(), PASSAGES: z.coerce.number().int().positive().default(50_000) })
  .parse(process.env);

const searchCount = 200;
const wordsInPassage = 80;
const passagesInDocument = 500;

let state = 1;
/** The same numbers in every run. */
function random(): number {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return state / 2_147_483_648;
}

const syllables = 'ta re mi no su lo ka pe di ru son ment ver ter con pro un ex'.split(' ');
const business =
  'refund delivery order customer payment return product warranty service account shipping address email phone contract cancel price invoice support policy'.split(
    ' ',
  );
const vocabulary = Array.from({ length: 20_000 }, () =>
  Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(syllables, 1)).join(''),
);

function pick(words: readonly string[], skew: number): string {
  return words[Math.floor(random() ** skew * words.length)] ?? '';
}

const word = () => (random() < 0.2 ? pick(business, 2) : pick(vocabulary, 3));

async function fillBase(db: Db, organizationId: string): Promise<string> {
  const { id } = await createKnowledgeBase(db, { organizationId, name: 'Benchmark', description: '' });
  for (let first = 0; first < passageCount; first += passagesInDocument) {
    const key = `${organizationId}/${id}/${first}`;
    await db
      .insertInto('stored_files')
      .values({ key, organization_id: organizationId, state: 'kept' })
      .execute();
    const { rows } = await sql<{ id: string; lease_id: string }>`
      with document as (
        insert into knowledge_base_documents (organization_id, knowledge_base_id, sha256, size_bytes, file_type,
          file_key, status, lease_id, lease_expires_at)
        values (${organizationId}, ${id}, sha256(${key}::bytea), 1, 'TXT', ${key}, 'processing', gen_random_uuid(),
          now() + interval '1 day')
        returning id, lease_id
      ), item as (
        insert into knowledge_base_items (organization_id, knowledge_base_id, document_id, name)
        select ${organizationId}, ${id}, id, 'Document' from document
      )
      select id, lease_id from document`.execute(db);
    const document = rows[0];
    if (!document) throw new Error('no document was written');
    const passages = Array.from({ length: passagesInDocument }, () => ({
      page: 1,
      text: Array.from({ length: wordsInPassage }, word).join(' '),
      searchConfig: 'english',
      searchText: null,
    }));
    const lease = { documentId: document.id, leaseId: document.lease_id };
    await saveExtraction(db, lease, { pages: ['text'], passages });
  }
  return id;
}

const questions: Record<string, () => string> = {
  'one frequent word': () => pick(business, 1),
  'two words': () => `${word()} ${word()}`,
  'three words': () => `${word()} ${word()} ${word()}`,
  'a phrase': () => `"${word()} ${word()}"`,
  'a spoken question': () => `how can I ${word()} my ${word()} after the ${word()} and get a ${word()}`,
};

await migrateToLatest({ databaseUrl });
const db = connect({ databaseUrl });
const organizationId = await createOrganization(db, { name: 'Benchmark' });
await fillBase(db, organizationId);
const knowledgeBaseId = await fillBase(db, organizationId);
await sql`vacuum analyze`.execute(db);

for (const [kind, ask] of Object.entries(questions)) {
  const times: number[] = [];
  let passages = 0;
  for (let count = 0; count < searchCount; count++) {
    const question = ask();
    const startedAtMs = performance.now();
    passages += (await searchPassages(db, { organizationId, knowledgeBaseId, question, limit: 5 })).length;
    times.push(performance.now() - startedAtMs);
  }
  times.sort((one, other) => one - other);
  const at = (part: number) => Math.round((times[Math.floor(times.length * part)] ?? Number.NaN) * 10) / 10;
  console.log(JSON.stringify({ kind, passages, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }));
}
await db.destroy();
