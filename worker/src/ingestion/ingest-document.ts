import {
  type ExtractionFailure,
  type ExtractionProgress,
  FileMissingError,
  type FileStore,
  type TextExtractor,
} from '@outdial/core';
import {
  type Db,
  failDocument,
  type IngestionLease,
  releaseDocument,
  renewLease,
  saveExtraction,
} from '@outdial/db';

export interface IngestionDeps {
  db: Db;
  files: FileStore;
  extractor: TextExtractor;
}

export type IngestionOutcome =
  | { kind: 'ready'; pages: number; passages: number }
  | { kind: 'failed'; failure: ExtractionFailure }
  /** Another worker has taken the document over, or its knowledge base was deleted: nothing was written. */
  | { kind: 'lease_lost' };

export interface IngestionOptions {
  leaseSeconds: number;
  signal: AbortSignal;
  onProgress: (progress: ExtractionProgress) => void;
}

/**
 * Turns one document into text and index under its lease. Rejects where the work was interrupted or the database
 * or the store could not be reached; the document is then handed back, or comes back when its lease runs out.
 */
export async function ingestDocument(
  deps: IngestionDeps,
  lease: IngestionLease,
  { leaseSeconds, signal, onProgress }: IngestionOptions,
): Promise<IngestionOutcome> {
  const lost = new AbortController();
  const heartbeat = keepLease(deps.db, lease, leaseSeconds, () => lost.abort(new LeaseLostError()));
  try {
    const result = await deps.extractor.extract(
      {
        fileType: lease.fileType,
        sizeBytes: lease.sizeBytes,
        bytes: deps.files.read(lease.fileKey),
        onProgress(progress) {
          heartbeat.progress = progress;
          onProgress(progress);
        },
      },
      AbortSignal.any([signal, lost.signal]),
    );
    if (result.kind === 'failed') return await fail(deps.db, lease, result.failure);
    const { pages, passages } = result.text;
    const saved = await saveExtraction(deps.db, lease, result.text);
    return saved ? { kind: 'ready', pages: pages.length, passages: passages.length } : { kind: 'lease_lost' };
  } catch (error) {
    if (error instanceof LeaseLostError) return { kind: 'lease_lost' };
    if (error instanceof FileMissingError) {
      return await fail(deps.db, lease, {
        code: 'file_missing',
        message: 'The uploaded file is no longer in the file store; upload it again',
      });
    }
    await releaseDocument(deps.db, lease);
    throw error;
  } finally {
    await heartbeat.stop();
  }
}

async function fail(db: Db, lease: IngestionLease, failure: ExtractionFailure): Promise<IngestionOutcome> {
  return (await failDocument(db, lease, failure)) ? { kind: 'failed', failure } : { kind: 'lease_lost' };
}

interface Heartbeat {
  progress: ExtractionProgress;
  stop(): Promise<void>;
}

/** Renews the lease three times in its length, so that one failed renewal does not lose it. */
function keepLease(db: Db, lease: IngestionLease, leaseSeconds: number, onLost: () => void): Heartbeat {
  let renewal: Promise<void> = Promise.resolve();
  const heartbeat: Heartbeat = {
    progress: { pagesDone: 0, pagesTotal: null },
    async stop() {
      clearInterval(timer);
      await renewal;
    },
  };
  async function renew(): Promise<void> {
    try {
      if (!(await renewLease(db, lease, { leaseSeconds, ...heartbeat.progress }))) onLost();
    } catch {
      // The next one may succeed; if none does, the lease runs out, and every write is refused.
    }
  }
  const timer = setInterval(
    () => {
      renewal = renew();
    },
    (leaseSeconds * 1000) / 3,
  );
  return heartbeat;
}

class LeaseLostError extends Error {
  readonly code = 'lease_lost';

  constructor() {
    super('the lease of a document was lost');
    this.name = 'LeaseLostError';
  }
}
