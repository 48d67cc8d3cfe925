import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { ingestItemJob } from '@outdial/contracts';
import {
  addItem,
  connect,
  createKnowledgeBase,
  createOrganization,
  createPostgresFileStore,
  type Db,
  inTransaction,
  migrateToLatest,
  registerUpload,
} from '@outdial/db';
import { openPublisher, prepareQueueBackend } from '@outdial/queues';
import { sql } from 'kysely';
import { stopProcess } from './stop-process.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** Often enough for a run of a third of a second, and seldom enough to cost nothing. */
const pollMs = 10;
const program = fileURLToPath(new URL('../../worker/src/main.ts', import.meta.url));
const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields: object, message: string) => console.error(message, fields),
  error: (fields: object, message: string) => console.error(message, fields),
};

/** Worker processes with the default settings, on a separate database that also holds their queue. */
export interface WorkerGroup {
  workers: number;
  /** Uploads the files. The returned function publishes their jobs, and resolves with the number of pages once all are ready. */
  upload(files: readonly Buffer[]): Promise<() => Promise<number>>;
  close(): Promise<void>;
}

export async function startWorkers(databaseUrl: string, workers: number): Promise<WorkerGroup> {
  const ownUrl = await createDatabaseBeside(databaseUrl, `${workers}_workers`);
  await migrateToLatest({ databaseUrl: ownUrl });
  const queue = { kind: 'postgres', url: ownUrl } as const;
  await prepareQueueBackend(queue);
  const db = connect({ databaseUrl: ownUrl });
  const publisher = openPublisher(queue, { log: silent });
  const children = Array.from({ length: workers }, () =>
    spawn(process.execPath, [program], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { PATH: process.env['PATH'], DATABASE_URL: ownUrl, LOG_LEVEL: 'error' },
    }),
  );
  const organizationId = await createOrganization(db, { name: 'Benchmark' });
  return {
    workers,
    async upload(files) {
      const base = await createKnowledgeBase(db, { organizationId, name: 'Benchmark', description: '' });
      const jobs: Array<{ item_id: string }> = [];
      for (const file of files) {
        const itemId = await upload(db, organizationId, base.id, file);
        jobs.push({ item_id: itemId });
      }
      return async () => {
        await publisher.publishMany(ingestItemJob, jobs);
        return untilReady(db, base.id);
      };
    },
    async close() {
      await Promise.all(children.map(stopProcess));
      await publisher.close();
      await db.destroy();
    },
  };
}

async function createDatabaseBeside(databaseUrl: string, suffix: string): Promise<string> {
  const url = new URL(databaseUrl);
  const name = `${url.pathname.slice(1)}_${suffix}`;
  const db = connect({ databaseUrl });
  await sql`create database ${sql.id(name)}`.execute(db);
  await db.destroy();
  url.pathname = `/${name}`;
  return url.href;
}

/** Stores a file as the api does. */
async function upload(db: Db, organizationId: string, knowledgeBaseId: string, file: Buffer) {
  const fileKey = `${organizationId}/${randomUUID()}`;
  await registerUpload(db, organizationId, fileKey);
  async function* stream() {
    yield file;
  }
  await createPostgresFileStore(db).write(fileKey, stream());
  const item = {
    organizationId,
    knowledgeBaseId,
    name: 'Document',
    notes: null,
    fileKey,
    fileType: 'PDF' as const,
    sizeBytes: file.length,
    // Every file is read, even if its content is known.
    sha256: Buffer.from(randomUUID().replaceAll('-', '').padEnd(64, '0'), 'hex'),
    limits: { itemsPerBase: 1e6, bytesPerOrganization: 1e12 },
  };
  const added = await inTransaction(db, (tx) => addItem(tx, item));
  if (added.kind !== 'added') throw new Error(`an item was refused: ${added.kind}`);
  return added.item.id;
}

async function untilReady(db: Db, knowledgeBaseId: string): Promise<number> {
  while (await isWaiting(db, knowledgeBaseId)) await delay(pollMs);
  const { rows } = await sql<{ failed: number; pages: number }>`
    select count(*) filter (where status = 'failed')::integer as failed, sum(page_count)::integer as pages
    from knowledge_base_documents where knowledge_base_id = ${knowledgeBaseId}`.execute(db);
  const [state] = rows;
  if (!state || state.failed > 0) throw new Error('a document has failed');
  return state.pages;
}

async function isWaiting(db: Db, knowledgeBaseId: string): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select from knowledge_base_documents
      where knowledge_base_id = ${knowledgeBaseId} and status in ('pending', 'processing')) as waits`.execute(
    db,
  );
  return rows[0]?.waits ?? false;
}
