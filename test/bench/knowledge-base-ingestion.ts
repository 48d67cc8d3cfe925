import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import {
  migrateToLatest,
  addItem,
  claimDocument,
  connect,
  createKnowledgeBase,
  createOrganization,
  createPostgresFileStore,
  type Db,
  registerUpload,
} from '@outdial/db';
import type { TextExtractor } from '@outdial/core';
import { createExtractionPool, defaultExtractionLimits } from '@outdial/providers/extraction';
import { ingestDocument } from '@outdial/worker/ingest-document';
import { PDFDocument } from 'pdf-lib';
import { PDFParse } from 'pdf-parse';
import { z } from 'zod';

/**
 * The whole pipeline (file store, extraction in processes of its own, passages, index, all in Postgres) against bare
 * pdf-parse on the same files in the same run: `DATABASE_URL=… node test/bench/knowledge-base-ingestion.ts`.
 * The database must be an empty one. Writes one line of JSON for each measurement.
 */
const { DATABASE_URL: databaseUrl, COPIES: copies } = z
  .object({ DATABASE_URL: z.string(), COPIES: z.coerce.number().int().positive().default(12) })
  .parse(process.env);

const WARM_UP_FILES = 6;
const ROUNDS = 5;
const folder = new URL('../fixtures/documents/', import.meta.url);
const originals = readdirSync(folder)
  .filter((name) =>
    /^(prose|columns|pages|european|chinese|table)\.(chromium|libreoffice|xetex|ghostscript|pdfkit)\.pdf$/.test(
      name,
    ),
  )
  .map((name) => readFileSync(new URL(name, folder)));

const files = await Promise.all(Array.from({ length: copies }, (_, at) => merge(originals, at)));
const bytes = files.reduce((sum, file) => sum + file.length, 0);

/** One longer document of all originals; the mark keeps one copy from being the same content as another. */
async function merge(documents: readonly Buffer[], mark: number): Promise<Buffer> {
  const merged = await PDFDocument.create();
  merged.setTitle(`Copy ${mark}`);
  for (const document of documents) {
    const source = await PDFDocument.load(document);
    for (const page of await merged.copyPages(source, source.getPageIndices())) merged.addPage(page);
  }
  return Buffer.from(await merged.save());
}

async function barePdfParse(): Promise<number> {
  let pages = 0;
  for (const file of files) {
    const parser = new PDFParse({ data: new Uint8Array(file) });
    pages += (await parser.getText()).total;
    await parser.destroy();
  }
  return pages;
}

async function wholePipeline(db: Db, { concurrency, extractor }: Pool): Promise<() => Promise<number>> {
  const store = createPostgresFileStore(db);
  const organizationId = await createOrganization(db, { name: 'Benchmark' });
  const base = await createKnowledgeBase(db, { organizationId, name: 'Benchmark', description: '' });
  const itemIds: string[] = [];
  for (const file of files) itemIds.push(await upload(db, organizationId, base.id, file));

  return async () => {
    let pages = 0;
    const queue = itemIds.values();
    const worker = async () => {
      for (const itemId of queue) {
        const lease = await claimDocument(db, { itemId, leaseSeconds: 60 });
        if (!lease) throw new Error('a document cannot be claimed');
        const outcome = await ingestDocument({ db, files: store, extractor }, lease, {
          leaseSeconds: 60,
          signal: new AbortController().signal,
          onProgress: () => undefined,
        });
        if (outcome.kind !== 'ready') throw new Error(`a document ended as ${outcome.kind}`);
        pages += outcome.pages;
      }
    };
    // One more than are read at once: while one is written down, the next is read.
    await Promise.all(Array.from({ length: concurrency + 1 }, worker));
    return pages;
  };
}

interface Pool {
  concurrency: number;
  extractor: TextExtractor;
}

/** Both sides have read everything before they are measured: compilers have warmed to it. */
async function openPool(concurrency: number): Promise<Pool> {
  const extractor = createExtractionPool({ concurrency, limits: defaultExtractionLimits });
  await Promise.all(Array.from({ length: concurrency + 1 }, () => readOnce(extractor)));
  return { concurrency, extractor };
}

async function readOnce(extractor: TextExtractor): Promise<void> {
  for (const file of files.slice(0, WARM_UP_FILES)) {
    async function* stream() {
      yield file;
    }
    const request = { fileType: 'PDF' as const, sizeBytes: file.length, bytes: stream() };
    await extractor.extract(request, new AbortController().signal);
  }
}

async function upload(
  db: Db,
  organizationId: string,
  knowledgeBaseId: string,
  file: Buffer,
): Promise<string> {
  const fileKey = `${organizationId}/${randomUUID()}`;
  await registerUpload(db, organizationId, fileKey);
  async function* stream() {
    yield file;
  }
  await createPostgresFileStore(db).write(fileKey, stream());
  const sha256 = Buffer.from(randomUUID().replaceAll('-', '').padEnd(64, '0'), 'hex');
  const added = await addItem(db, {
    organizationId,
    knowledgeBaseId,
    name: 'Document',
    notes: null,
    fileKey,
    fileType: 'PDF',
    sizeBytes: file.length,
    sha256,
    limits: { itemsPerBase: 1e6, bytesPerOrganization: 1e12 },
  });
  if (added.kind !== 'added') throw new Error(`an item was refused: ${added.kind}`);
  return added.item.id;
}

interface Measurement {
  what: string;
  pagesPerSecond: number;
  megabytesPerSecond: number;
  seconds: number;
}

async function measure(what: string, run: () => Promise<number>): Promise<Measurement> {
  const startedAtMs = performance.now();
  const pages = await run();
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const round = (value: number) => Math.round(value * 100) / 100;
  const measurement = {
    what,
    pagesPerSecond: round(pages / seconds),
    megabytesPerSecond: round(bytes / 1e6 / seconds),
    seconds: round(seconds),
  };
  console.log(JSON.stringify(measurement));
  return measurement;
}

await migrateToLatest({ databaseUrl });
const db = connect({ databaseUrl, poolMax: 20 });
console.log(
  JSON.stringify({
    machine: cpus()[0]?.model,
    cores: availableParallelism(),
    node: process.version,
    files: files.length,
    bytes,
  }),
);
const workers = [1];
for (let count = 2; count <= Math.max(2, availableParallelism()); count *= 2) workers.push(count);
const ratios = new Map<number, number[]>(workers.map((count) => [count, []]));

const pools = await Promise.all(workers.map(openPool));
await barePdfParse();
// Side by side in each round, so that whatever else the machine does weighs on all of them.
for (let round = 0; round < ROUNDS; round++) {
  const bare = await measure('bare pdf-parse', barePdfParse);
  for (const pool of pools) {
    const { concurrency: count } = pool;
    const run = await wholePipeline(db, pool);
    const { pagesPerSecond } = await measure(`pipeline, ${count} at once`, run);
    ratios.get(count)?.push(pagesPerSecond / bare.pagesPerSecond);
  }
}
const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
for (const [count, values] of ratios) {
  console.log(JSON.stringify({ filesAtOnce: count, ofBarePdfParse: Math.round(median(values) * 100) / 100 }));
}
await Promise.all(pools.map(({ extractor }) => extractor.close()));
await db.destroy();
