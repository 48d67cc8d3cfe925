import {
  Batcher,
  type ExtractionFailure,
  FileMissingError,
  type FileStore,
  type TextExtractor,
} from '@outdial/core';
import { type Db, failDocument, type IngestionLease, isUnstorableText, releaseDocuments } from '@outdial/db';
import { createExtractionWriter, type ExtractionWriter } from './extraction-writer.ts';
import { type LeaseRenewal, startRenewing } from './renew-leases.ts';
import { ReturnedError, FairnessWatchdog } from './fairness-watchdog.ts';
import type { InFlightJobs } from './in-flight-jobs.ts';
import { untilAborted, whole } from './until-aborted.ts';

export interface IngestionDeps {
  db: Db;
  files: FileStore;
  extractor: TextExtractor;
}

export type IngestionOutcome =
  | { kind: 'ready'; pages: number; passages: number }
  | { kind: 'failed'; failure: ExtractionFailure }
  /** Nothing was written: another worker has claimed the document, or its knowledge base was deleted. */
  | { kind: 'lease_lost' }
  /** Back in the queue, because this or another document takes long. */
  | { kind: 'returned' }
  /** Back in the queue, because the worker is stopping, or the database or file store is unreachable. */
  | { kind: 'interrupted'; error: unknown };

export interface IngestionOptions {
  leaseSeconds: number;
  /** Files up to this size are loaded into memory. */
  smallBytes: number;
  inFlight: InFlightJobs;
  signal: AbortSignal;
  /** Called occasionally with the finished part of the work, from 0 to 1. */
  onProgress: (part: number) => void;
  /** Called once for each document, when its file was read or abandoned. */
  onRead: (lease: IngestionLease, how: { returned: boolean; readingMs: number }) => void;
  /** Called once for each document, when its result was written. */
  onOutcome: (lease: IngestionLease, outcome: IngestionOutcome) => void;
}

/** Extracts and indexes documents, each independently and under its own lease. */
export async function ingestDocuments(
  deps: IngestionDeps,
  leases: readonly IngestionLease[],
  options: IngestionOptions,
): Promise<void> {
  const watchdog = new FairnessWatchdog(leases, options.inFlight);
  const renewal = startRenewing(deps.db, leases, {
    leaseSeconds: options.leaseSeconds,
    onLost: (lease) => watchdog.giveUp(lease, new LeaseLostError()),
  });
  const writer = createExtractionWriter(deps.db, leases.length);
  // Releases all documents of one turn of the event loop with one statement.
  const releases = new Batcher<IngestionLease, void>({
    async run(batch) {
      await releaseDocuments(deps.db, batch);
      return batch.map(() => undefined);
    },
    atMost: 1_000,
  });
  try {
    await Promise.all(
      leases.map(async (lease) => {
        const outcome = await ingest({ ...deps, ...options, watchdog, renewal, writer, releases }, lease);
        renewal.end(lease);
        options.onOutcome(lease, outcome);
      }),
    );
  } finally {
    await renewal.stop();
  }
}

interface Ingestion extends IngestionDeps, IngestionOptions {
  watchdog: FairnessWatchdog;
  renewal: LeaseRenewal;
  writer: ExtractionWriter;
  releases: Batcher<IngestionLease, void>;
}

async function ingest(ingestion: Ingestion, lease: IngestionLease): Promise<IngestionOutcome> {
  const { db, writer } = ingestion;
  try {
    const result = await read(ingestion, lease);
    if (result.kind === 'failed') return await fail(db, lease, result.failure);
    if (result.kind === 'put_off') {
      await releaseDocuments(db, [lease], { slow: result.isSlow });
      return { kind: 'returned' };
    }
    const { pages, passages } = result.text;
    const isSaved = await writer.save(lease, result.text);
    return isSaved
      ? { kind: 'ready', pages: pages.length, passages: passages.length }
      : { kind: 'lease_lost' };
  } catch (error) {
    return afterError(ingestion, lease, error);
  }
}

async function read({ watchdog, writer, renewal, ...ingestion }: Ingestion, lease: IngestionLease) {
  let hasText = false;
  let returned = false;
  let begunAtMs: number | undefined;
  try {
    const signal = AbortSignal.any([ingestion.signal, watchdog.signal(lease)]);
    const stream = untilAborted(signal, ingestion.files.read(lease.fileKey));
    const bytes = lease.sizeBytes <= ingestion.smallBytes ? await whole(stream) : stream;
    watchdog.arrived(lease);
    const result = await ingestion.extractor.extract(
      {
        owner: lease.organizationId,
        isSlow: lease.isSlow,
        fileType: lease.fileType,
        sizeBytes: lease.sizeBytes,
        bytes,
        onBegin() {
          begunAtMs = performance.now();
          watchdog.begin(lease);
        },
        onProgress(progress) {
          renewal.progress(lease, progress);
          ingestion.onProgress(renewal.partDone());
        },
      },
      signal,
    );
    hasText = result.kind === 'extracted';
    return result;
  } catch (error) {
    returned = error instanceof ReturnedError;
    throw error;
  } finally {
    watchdog.end(lease);
    const readingMs = begunAtMs === undefined ? 0 : performance.now() - begunAtMs;
    ingestion.onRead(lease, { returned, readingMs });
    if (!hasText) writer.withoutText();
  }
}

async function afterError(
  { db, releases }: Ingestion,
  lease: IngestionLease,
  error: unknown,
): Promise<IngestionOutcome> {
  try {
    if (error instanceof LeaseLostError) return { kind: 'lease_lost' };
    if (error instanceof FileMissingError) {
      const message = 'The uploaded file is no longer in the file store; upload it again';
      return await fail(db, lease, { code: 'file_missing', message });
    }
    // A retry would fail in the same way.
    if (isUnstorableText(error)) {
      const message = 'The text of the file cannot be stored; upload it in another form';
      return await fail(db, lease, { code: 'not_storable', message });
    }
    await releases.add(lease);
    return error instanceof ReturnedError ? { kind: 'returned' } : { kind: 'interrupted', error };
  } catch (further) {
    return { kind: 'interrupted', error: further };
  }
}

async function fail(db: Db, lease: IngestionLease, failure: ExtractionFailure): Promise<IngestionOutcome> {
  return (await failDocument(db, lease, failure)) ? { kind: 'failed', failure } : { kind: 'lease_lost' };
}

class LeaseLostError extends Error {
  readonly code = 'lease_lost';

  constructor() {
    super('the lease of a document was lost');
    this.name = 'LeaseLostError';
  }
}
