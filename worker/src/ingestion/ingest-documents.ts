import { type ExtractionFailure, FileMissingError, type FileStore, type TextExtractor } from '@outdial/core';
import { type Db, failDocument, type IngestionLease, isUnstorableText, releaseDocuments } from '@outdial/db';
import { createExtractionWriter, type ExtractionWriter } from './extraction-writer.ts';
import { type RenewedLeases, startRenewing } from './renew-leases.ts';
import { releaseTogether } from './release-together.ts';
import { HandedBackError, FairnessWatchdog } from './fairness-watchdog.ts';
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
  /** Another worker has taken over the document, or its knowledge base was deleted: nothing was written. */
  | { kind: 'lease_lost' }
  /** Another document takes long, or this one does, so it waits again. */
  | { kind: 'handed_back' }
  /** The work was interrupted, or the database or the store was unreachable, so it waits again. */
  | { kind: 'interrupted'; error: unknown };

export interface IngestionOptions {
  leaseSeconds: number;
  /** Files up to this size are read whole. */
  smallBytes: number;
  inFlight: InFlightJobs;
  signal: AbortSignal;
  /** Called occasionally with the finished part of the current work, from 0 to 1. */
  onProgress: (part: number) => void;
  /** Called once for each document, when its file has been read or abandoned, with the reading time. */
  onRead: (lease: IngestionLease, how: { handedBack: boolean; readingMs: number }) => void;
  /** Called once for each document, when everything is written. */
  onOutcome: (lease: IngestionLease, outcome: IngestionOutcome) => void;
}

/** Turns documents into text and index, each independently and under its own lease. */
export async function ingestDocuments(
  deps: IngestionDeps,
  leases: readonly IngestionLease[],
  options: IngestionOptions,
): Promise<void> {
  const watchdog = new FairnessWatchdog(leases, options.inFlight);
  const kept = startRenewing(deps.db, leases, {
    leaseSeconds: options.leaseSeconds,
    onLost: (lease) => watchdog.giveUp(lease, new LeaseLostError()),
  });
  const writer = createExtractionWriter(deps.db, leases.length);
  const release = releaseTogether(deps.db);
  try {
    await Promise.all(
      leases.map(async (lease) => {
        const outcome = await ingest({ ...deps, ...options, watchdog, kept, writer, release }, lease);
        kept.end(lease);
        options.onOutcome(lease, outcome);
      }),
    );
  } finally {
    await kept.stop();
  }
}

interface Ingestion extends IngestionDeps, IngestionOptions {
  watchdog: FairnessWatchdog;
  kept: RenewedLeases;
  writer: ExtractionWriter;
  release: (lease: IngestionLease) => Promise<void>;
}

async function ingest(ingestion: Ingestion, lease: IngestionLease): Promise<IngestionOutcome> {
  const { db, writer, release } = ingestion;
  try {
    const result = await read(ingestion, lease);
    if (result.kind === 'failed') return await fail(db, lease, result.failure);
    if (result.kind === 'put_off') {
      await releaseDocuments(db, [lease], { slow: result.isSlow });
      return { kind: 'handed_back' };
    }
    const { pages, passages } = result.text;
    const isSaved = await writer.save(lease, result.text);
    return isSaved
      ? { kind: 'ready', pages: pages.length, passages: passages.length }
      : { kind: 'lease_lost' };
  } catch (error) {
    return afterError({ db, release }, lease, error);
  }
}

/** Extracts the file. Any result ends its turn. */
async function read({ watchdog, writer, kept, ...ingestion }: Ingestion, lease: IngestionLease) {
  let hasText = false;
  let handedBack = false;
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
          kept.progress(lease, progress);
          ingestion.onProgress(kept.partDone());
        },
      },
      signal,
    );
    hasText = result.kind === 'extracted';
    return result;
  } catch (error) {
    handedBack = error instanceof HandedBackError;
    throw error;
  } finally {
    watchdog.end(lease);
    const readingMs = begunAtMs === undefined ? 0 : performance.now() - begunAtMs;
    ingestion.onRead(lease, { handedBack, readingMs });
    if (!hasText) writer.withoutText();
  }
}

async function afterError(
  { db, release }: Pick<Ingestion, 'db' | 'release'>,
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
    await release(lease);
    return error instanceof HandedBackError ? { kind: 'handed_back' } : { kind: 'interrupted', error };
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
