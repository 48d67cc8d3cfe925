import { randomBytes } from 'node:crypto';
import { createApp, type ApiConfig, startServer } from '@outdial/api';
import { onJob, openConsumer, openPublisher, type QueueBackendConfig } from '@outdial/queues';
import type { FileStore, TextExtractor } from '@outdial/core';
import {
  connect,
  createApiKey,
  createOrganization,
  createPostgresFileStore,
  createUser,
  type Db,
  type Role,
} from '@outdial/db';
import {
  createExtractionPool,
  defaultExtractionLimits,
  type ExtractionLimits,
} from '@outdial/providers/extraction';
import { createLogger, createMetrics, systemClock } from '@outdial/runtime';
import { prepareQueueBackend } from '@outdial/queues';
import { ingestItem } from '@outdial/worker/ingest-item';

export interface WorldOptions {
  databaseUrl: string;
  config?: Partial<ApiConfig>;
  files?: (db: Db) => FileStore;
  extraction?: Partial<ExtractionLimits>;
  /** Files of an organization that are read concurrently. */
  concurrency?: number;
  /** By default, long enough for a worker on a busy machine to renew its leases. */
  leaseSeconds?: number;
  /** If there are no workers, uploads wait. */
  worker?: boolean;
}

export const knowledgeTokenSecret = 'a secret of the tests, long enough for HMAC';

interface Answer {
  status: number;
  body: Record<string, unknown>;
  data: Record<string, unknown>;
}

/** Api and worker on a real database, queues and HTTP. */
export async function openWorld(options: WorldOptions) {
  // A machine that stalls for ten seconds is no fault of a test.
  const db = connect({ databaseUrl: options.databaseUrl, connectTimeoutMs: 60_000 });
  const queueConfig: QueueBackendConfig = { kind: 'postgres', url: options.databaseUrl };
  await prepareQueueBackend(queueConfig);
  const log = createLogger({ service: 'test', level: 'silent' });
  const publisher = openPublisher(queueConfig, { log });
  const files = options.files?.(db) ?? createPostgresFileStore(db);
  const app = createApp({
    db,
    publisher,
    files,
    clock: systemClock,
    log,
    metrics: createMetrics({ service: 'test' }),
    providers: new Map(),
    queues: null,
    config: {
      publicUrl: null,
      installationProvider: 'simulator',
      callQueueTimeoutSeconds: 60,
      jsonBodyLimitBytes: 1_000_000,
      uploadLimitBytes: 20 * 1024 * 1024,
      itemLimits: { itemsPerBase: 1_000, bytesPerOrganization: 1024 ** 3 },
      knowledgeTokenSecret,
      corsOrigins: [],
      jwt: null,
      ops: null,
      ...options.config,
    },
  });
  const server = await startServer(app, { port: 0, host: '127.0.0.1' });
  const worker = options.worker === false ? null : openWorker(db, files, queueConfig, options);
  const baseUrl = `http://127.0.0.1:${server.port}/api/v1/knowledge-base`;

  return {
    db,
    files,
    publisher,
    baseUrl,
    worker,
    newCaller: (role: Role = 'member', organizationId?: string) =>
      newCaller(db, baseUrl, role, organizationId),
    async close() {
      await server.close({ drainMs: 1_000 });
      await worker?.close();
      await publisher.close();
      await db.destroy();
    },
  };
}

export function openWorker(
  db: Db,
  files: FileStore,
  queueConfig: QueueBackendConfig,
  {
    extraction,
    concurrency = 1,
    leaseSeconds = 15,
  }: Pick<WorldOptions, 'extraction' | 'concurrency' | 'leaseSeconds'>,
) {
  const log = createLogger({ service: 'test', level: 'silent' });
  const extractor: TextExtractor = createExtractionPool({
    concurrency,
    limits: { ...defaultExtractionLimits, ...extraction },
  });
  const publisher = openPublisher(queueConfig, { log });
  const consumer = openConsumer(queueConfig, { log }, [
    onJob(ingestItem({ db, publisher, files, extractor, log, places: concurrency + 2, leaseSeconds })),
  ]);
  return {
    extractor,
    async close() {
      await consumer.close({ drainMs: 5_000 });
      await extractor.close();
      await publisher.close();
    },
  };
}

async function newCaller(db: Db, baseUrl: string, role: Role, inOrganization?: string) {
  const organizationId = inOrganization ?? (await createOrganization(db, { name: 'Test' }));
  const userId = await createUser(db, {
    organizationId,
    email: `${randomBytes(6).toString('hex')}@example.test`,
    firstName: 'Kim',
    lastName: 'Test',
    role,
  });
  const { key } = await createApiKey(db, { organizationId, userId, name: 'test', role });

  async function send(
    method: string,
    path: string,
    init: { body?: string | FormData; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const response = await fetch(`${baseUrl}${path}`, {
      ...init,
      method,
      headers: { 'x-api-key': key, ...init.headers },
    });
    // The service answers JSON; the tests check its content.
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, body, data: (body['data'] ?? {}) as Record<string, unknown> };
  }
  const json = (method: string, path: string, value: unknown, headers: Record<string, string> = {}) =>
    send(method, path, {
      body: JSON.stringify(value),
      headers: { 'content-type': 'application/json', ...headers },
    });

  return {
    organizationId,
    key,
    get: (path: string) => send('GET', path),
    delete: (path: string) => send('DELETE', path),
    post: (path: string, value: unknown, headers?: Record<string, string>) =>
      json('POST', path, value, headers),
    put: (path: string, value: unknown) => json('PUT', path, value),
    upload(
      base: string,
      content: Uint8Array<ArrayBuffer> | string,
      { fileName = 'file.bin', ...parts }: { fileName?: string; name?: string; notes?: string } = {},
      headers: Record<string, string> = {},
    ): Promise<Answer> {
      const form = new FormData();
      for (const [part, value] of Object.entries(parts)) form.append(part, value);
      form.append('file', new Blob([content]), fileName);
      return send('POST', `/${base}/items`, { body: form, headers });
    },
    /** A form with the given parts. */
    putForm(path: string, parts: Record<string, string | Blob>): Promise<Answer> {
      const form = new FormData();
      for (const [part, value] of Object.entries(parts)) form.append(part, value);
      return send('PUT', path, { body: form });
    },
    async newBase(): Promise<string> {
      const { data } = await json('POST', '/', { name: 'Base' });
      return String(data['id']);
    },
    /** Polls the item until it is ready or failed. Processes that read documents have a low priority, so a busy machine takes long. */
    async settled(base: string, item: unknown, withinMs = 150_000): Promise<Record<string, unknown>> {
      const giveUpAt = performance.now() + withinMs;
      for (;;) {
        const { data } = await send('GET', `/${base}/items/${String(item)}`);
        if (data['status'] === 'ready' || data['status'] === 'failed') return data;
        if (performance.now() > giveUpAt) throw new Error(`still ${String(data['status'])}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

export type Caller = Awaited<ReturnType<typeof newCaller>>;
