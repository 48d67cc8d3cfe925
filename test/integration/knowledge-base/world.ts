import type { ApiConfig } from '@outdial/api';
import { onJob, openConsumer, openPublisher, type QueueBackendConfig } from '@outdial/queues';
import type { FileStore, TextExtractor } from '@outdial/core';
import type { Db, Role } from '@outdial/db';
import {
  createExtractionPool,
  defaultExtractionLimits,
  type ExtractionLimits,
} from '@outdial/providers/extraction';
import { createLogger } from '@outdial/runtime';
import { ingestItem } from '@outdial/worker/ingest-item';
import { afterAll } from 'vitest';
import { type ApiWorld, apiWorld } from '../api/api-world.ts';
import type { ApiRequest } from '../api/contract-client.ts';

export interface WorkerOptions {
  extraction?: Partial<ExtractionLimits>;
  /** Files of an organization that are read concurrently. */
  concurrency?: number;
  /** By default, long enough for a worker on a busy machine to renew its leases. */
  leaseSeconds?: number;
}

export const knowledgeTokenSecret = 'a secret of the tests, long enough for HMAC';
const knowledgeBase = '/api/v1/knowledge-base';

interface Answer {
  status: number;
  body: Record<string, unknown>;
  data: Record<string, unknown>;
}

/** Api and worker on a real database, queues and HTTP. If there is no worker, uploads wait. Call it at the top of a test file. */
export async function openWorld(
  options: { config?: Partial<ApiConfig>; files?: FileStore; worker?: boolean } = {},
) {
  const config = {
    knowledgeTokenSecret,
    uploadLimitBytes: 20 * 1024 * 1024,
    itemLimits: { itemsPerBase: 1_000, bytesPerOrganization: 1024 ** 3 },
    ...options.config,
  };
  const api = await apiWorld({ ...options, config });
  const { databaseUrl, db, files } = api;
  const queue = { kind: 'postgres', url: databaseUrl } as const;
  if (options.worker !== false) {
    const worker = openWorker(db, files, queue);
    afterAll(() => worker.close());
  }
  return {
    databaseUrl,
    db,
    files,
    queue,
    publisher: api.control.publisher,
    baseUrl: `${api.baseUrl}${knowledgeBase}`,
    newCaller: (role: Role = 'member') => newCaller(api, role),
  };
}

export function openWorker(
  db: Db,
  files: FileStore,
  queueConfig: QueueBackendConfig,
  { extraction, concurrency = 1, leaseSeconds = 15 }: WorkerOptions = {},
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

async function newCaller({ client, organization }: ApiWorld, role: Role) {
  const { id: organizationId, keys } = await organization();

  async function send(method: string, path: string, request: ApiRequest = {}): Promise<Answer> {
    const label = `${method} ${knowledgeBase}${path}`;
    const { status, json } = await client.send(label, { key: keys[role], ...request });
    // The service answers JSON; the tests check its content.
    const body = json as Record<string, unknown>;
    return { status, body, data: (body['data'] ?? {}) as Record<string, unknown> };
  }
  return {
    organizationId,
    get: (path: string) => send('GET', path),
    delete: (path: string) => send('DELETE', path),
    post: (path: string, json: unknown, headers: Record<string, string> = {}) =>
      send('POST', path, { json, headers }),
    put: (path: string, json: unknown) => send('PUT', path, { json }),
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
      return client.create(`POST ${knowledgeBase}`, { key: keys[role], json: { name: 'Base' } });
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
