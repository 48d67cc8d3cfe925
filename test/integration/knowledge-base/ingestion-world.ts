import type { FileStore } from '@outdial/core';
import { sweepIngestion } from '@outdial/scheduler/sweep-ingestion';
import { sql } from 'kysely';
import { afterEach } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { drawPdf } from './draw-pdf.ts';
import { type Caller, openWorker, openWorld, type WorkerOptions } from './world.ts';

export interface Base {
  caller: Caller;
  base: string;
}

export const page = (text: string) => drawPdf({ pages: [text] });

/** The api on a separate database with its queue. Each test starts workers, and runs the scheduler's sweep itself. */
export async function useIngestion() {
  const { databaseUrl, db, files, newCaller, publisher, queue } = await openWorld({ worker: false });
  const open: Array<{ close(): Promise<void> }> = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((worker) => worker.close()));
  });
  const sweep = () => sweepIngestion({ db, publisher, files });

  return {
    databaseUrl,
    queue,
    db,
    files,
    sweep,
    newCaller,

    /** A worker that stops after the test. */
    work: (options: WorkerOptions = {}, store: FileStore = files) => {
      const worker = openWorker(db, store, queue, options);
      open.push(worker);
      return worker;
    },

    later: (seconds: number) =>
      sql`update engine_clock set offset_ms = offset_ms + ${seconds * 1_000}`.execute(db),

    newBase: async (): Promise<Base> => {
      const caller = await newCaller();
      return { caller, base: await caller.newBase() };
    },

    /** Uploads files in order, and returns their items. */
    uploaded: async ({ caller, base }: Base, contents: ReadonlyArray<Uint8Array<ArrayBuffer> | string>) => {
      const ids: string[] = [];
      for (const content of contents) ids.push(String((await caller.upload(base, content)).data['id']));
      return ids;
    },

    /**
     * Waits until all are ready or failed. Meanwhile, publishes returned documents like the scheduler, unless `sweeps` is false. One query asks for all: requests
     * for each would take the processor from the worker, which is in this process.
     */
    settled: async ({ caller, base }: Base, ids: readonly string[], { sweeps = true } = {}) => {
      await waitFor(
        'all to be ready or failed',
        async () => {
          if (sweeps) await sweep();
          const { rows } = await sql<{ open: number }>`
            select count(*)::integer as open from knowledge_base_documents
            where status in ('pending', 'processing')`.execute(db);
          return rows[0]?.open === 0;
        },
        { withinMs: 150_000 },
      );
      return Promise.all(ids.map(async (id) => (await caller.get(`/${base}/items/${id}`)).data));
    },

    statusOf: async ({ caller, base }: Base, id: string): Promise<unknown> => {
      return (await caller.get(`/${base}/items/${id}`)).data['status'];
    },
  };
}
