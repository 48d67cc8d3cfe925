import { setTimeout as sleep } from 'node:timers/promises';
import { ingestItemJob } from '@outdial/contracts';
import {
  Turns,
  type ExtractionFailure,
  FileMissingError,
  type FileStore,
  type TextExtractor,
} from '@outdial/core';
import {
  claimDocument,
  type IngestionLease,
  organizationsWithDocuments,
  type Db,
  failDocument,
  isUnstorableText,
  releaseDocument,
  renewLease,
  saveExtraction,
} from '@outdial/db';
import type { JobHandler, Publisher, QueueLog } from '@outdial/queues';
import { untilAborted } from '../ingestion/until-aborted.ts';

export interface IngestItemOptions extends IngestionDeps {
  publisher: Publisher;
  log: QueueLog;
  /** Documents that are claimed at once, to be read and written. An organization has all of these places but one, so that another one finds a place. */
  places: number;
  /** After this time without a renewal, a worker counts as dead. */
  leaseSeconds?: number;
}

const defaultLeaseSeconds = 15;
/** A job claims documents for this long, and then leaves the rest to the next job. */
const claimForMs = 30_000;
/** While its organization has no place, a document waits for this long, or until a worker with a place takes it. */
const askAgainMs = 250;

/** Extracts documents that wait, one after the other, each of the organization whose turn it is. A repeated or late job does nothing. */
export function ingestItem({
  publisher,
  log,
  places,
  leaseSeconds = defaultLeaseSeconds,
  ...deps
}: IngestItemOptions): JobHandler<typeof ingestItemJob> {
  const turns = new Turns({ atOnce: places, perOrganization: Math.max(1, places - 1) });
  let lastServed = '00000000-0000-0000-0000-000000000000';

  /** If another worker takes the chosen document, another is chosen. */
  async function claim(): Promise<{ lease: IngestionLease; endTurn: () => void } | 'no_place' | null> {
    const missed = new Set<string>();
    for (;;) {
      const organizations = await organizationsWithDocuments(deps.db, lastServed);
      const waiting = organizations.filter((id) => !missed.has(id));
      if (waiting.length === 0) return null;
      const turn = turns.takeForOneOf(waiting);
      if (turn === null) return 'no_place';
      const { organizationId, end: endTurn } = turn;
      lastServed = organizationId;
      try {
        const lease = await claimDocument(deps.db, { organizationId, leaseSeconds });
        if (lease !== null) return { lease, endTurn };
      } catch (error) {
        endTurn();
        throw error;
      }
      endTurn();
      missed.add(organizationId);
    }
  }

  function logOutcome({ itemId, documentId }: IngestionLease, outcome: IngestionOutcome): void {
    const fields = { item_id: itemId, document_id: documentId, outcome: outcome.kind };
    if (outcome.kind === 'failed') log.info({ ...fields, error_code: outcome.failure.code }, 'item ingested');
    else if (outcome.kind === 'interrupted') log.warn({ ...fields, err: outcome.error }, 'item not ingested');
    else log.info(fields, 'item ingested');
  }

  return {
    job: ingestItemJob,
    concurrency: places,
    async handle(payload, { signal }) {
      const claimUntilMs = performance.now() + claimForMs;
      while (!signal.aborted) {
        if (performance.now() > claimUntilMs) {
          await publisher.publish(ingestItemJob, payload);
          break;
        }
        const claimed = await claim();
        if (claimed === null) break;
        if (claimed === 'no_place') {
          await sleep(askAgainMs, undefined, { signal }).catch(() => undefined);
          continue;
        }
        const { lease, endTurn } = claimed;
        const outcome = await ingestDocument(deps, lease, { leaseSeconds, signal }).finally(endTurn);
        logOutcome(lease, outcome);
        // It would be the next again. The sweep publishes its job.
        if (outcome.kind === 'interrupted') break;
      }
    },
  };
}

interface IngestionDeps {
  db: Db;
  files: FileStore;
  extractor: TextExtractor;
}

type IngestionOutcome =
  | { kind: 'ready' }
  | { kind: 'failed'; failure: ExtractionFailure }
  /** Nothing was written: another worker has claimed the document, or its knowledge base was deleted. */
  | { kind: 'lease_lost' }
  /** Back in the queue, because the worker is stopping, or the database or file store is unreachable. */
  | { kind: 'interrupted'; error: unknown };

/** Extracts and indexes a document under its lease, which is renewed three times within its duration, so that one failed renewal does not cost it. */
async function ingestDocument(
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
