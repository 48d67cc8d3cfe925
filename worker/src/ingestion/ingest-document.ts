import { type ExtractionFailure, FileMissingError, type FileStore, type TextExtractor } from '@outdial/core';
import {
  type Db,
  failDocument,
  type IngestionLease,
  isUnstorableText,
  releaseDocument,
  renewLease,
  saveExtraction,
} from '@outdial/db';
import { untilAborted } from './until-aborted.ts';

export interface IngestionDeps {
  db: Db;
  files: FileStore;
  extractor: TextExtractor;
}

export type IngestionOutcome =
  | { kind: 'ready' }
  | { kind: 'failed'; failure: ExtractionFailure }
  /** Nothing was written: another worker has claimed the document, or its knowledge base was deleted. */
  | { kind: 'lease_lost' }
  /** Back in the queue, because the worker is stopping, or the database or file store is unreachable. */
  | { kind: 'interrupted'; error: unknown };

/** Extracts and indexes a document under its lease, which is renewed three times within its duration, so that one failed renewal does not cost it. */
export async function ingestDocument(
  deps: IngestionDeps,
  lease: IngestionLease,
  { leaseSeconds, signal }: { leaseSeconds: number; signal: AbortSignal },
): Promise<IngestionOutcome> {
  const lost = new AbortController();
  const renewal = setInterval(
    () => {
      renewLease(deps.db, lease, leaseSeconds).then(
        (isHeld) => isHeld || lost.abort(new LeaseLostError()),
        // The next renewal may succeed. If none does, the lease expires and writes are refused.
        () => undefined,
      );
    },
    (leaseSeconds * 1_000) / 3,
  );
  try {
    const result = await read(deps, lease, AbortSignal.any([signal, lost.signal]));
    if (result.kind === 'failed') return await fail(deps.db, lease, result.failure);
    return (await saveExtraction(deps.db, lease, result.text)) ? { kind: 'ready' } : { kind: 'lease_lost' };
  } catch (error) {
    return await afterError(deps.db, lease, error);
  } finally {
    clearInterval(renewal);
  }
}

async function read({ files, extractor }: IngestionDeps, lease: IngestionLease, signal: AbortSignal) {
  const { organizationId, fileKey, fileType, sizeBytes } = lease;
  const bytes = untilAborted(signal, files.read(fileKey));
  return extractor.extract({ organizationId, fileType, sizeBytes, bytes }, signal);
}

async function afterError(db: Db, lease: IngestionLease, error: unknown): Promise<IngestionOutcome> {
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
    await releaseDocument(db, lease);
    return { kind: 'interrupted', error };
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
