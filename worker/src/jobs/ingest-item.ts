import { ingestItemJob, type JobInput } from '@outdial/contracts';
import { SMALL_FILE_BYTES } from '@outdial/core';
import { claimDocuments } from '@outdial/db';
import type { JobHandler, Publisher, QueueLog } from '@outdial/queues';
import { ingestDocuments, type IngestionDeps, type IngestionOutcome } from '../ingestion/ingest-documents.ts';
import { AdmissionControl } from '../ingestion/admission-control.ts';
import { InFlightJobs } from '../ingestion/in-flight-jobs.ts';

export interface IngestItemOptions extends IngestionDeps {
  publisher: Publisher;
  log: QueueLog;
  /** Jobs at the same time, and files that the extractor reads at the same time. */
  concurrency: number;
  /** A worker that has died is noticed after this. */
  leaseSeconds?: number;
}

const DEFAULT_LEASE_SECONDS = 15;
/** Small documents that a job takes at once: a twentieth of a second of reading, and four megabytes at most. */
const BATCH = { documents: 16, smallBytes: SMALL_FILE_BYTES };
/** The next are taken while the last of those before are read. */
const UNREAD_PER_JOB = 2;

/** Extracts the text of an uploaded item, and of small ones that wait. A job that comes twice, or late, finds nothing to do. */
export function ingestItem({
  publisher,
  log,
  concurrency,
  leaseSeconds = DEFAULT_LEASE_SECONDS,
  ...deps
}: IngestItemOptions): JobHandler<typeof ingestItemJob> {
  const admission = new AdmissionControl({
    readers: concurrency,
    unreadAtMost: UNREAD_PER_JOB * concurrency,
  });
  const inFlight = new InFlightJobs();

  /** Jobs of small files collapse: what this one leaves may have no other. */
  async function publishAgain(payload: JobInput<typeof ingestItemJob>): Promise<void> {
    try {
      await publisher.publish(ingestItemJob, payload);
    } catch (error) {
      log.warn({ err: error }, 'small files wait for the sweep to be published');
    }
  }

  return {
    job: ingestItemJob,
    concurrency,
    async handle(payload, context) {
      const { item_id: itemId, small_files: smallFiles } = payload;
      const anySmall = smallFiles !== undefined;
      const { leases, moreWait } = await admission.claim(context.signal, () =>
        claimDocuments(deps.db, { itemId, anySmall, leaseSeconds, batch: BATCH }),
      );
      if (leases.length === 0) return;
      if (anySmall && moreWait) await publishAgain(payload);
      const errors: unknown[] = [];
      await ingestDocuments(deps, leases, {
        leaseSeconds,
        smallBytes: BATCH.smallBytes,
        inFlight,
        signal: context.signal,
        onProgress(part) {
          // For whoever looks at the queue; a lost one is no loss.
          context.updateProgress(Math.floor(part * 100)).catch(() => undefined);
        },
        onRead: (_lease, { handedBack }) => admission.leave({ handedBack }),
        onOutcome(lease, outcome) {
          if (outcome.kind === 'interrupted') errors.push(outcome.error);
          log.info(
            { item_id: lease.itemId, document_id: lease.documentId, ...fields(outcome) },
            'item ingested',
          );
        },
      });
      const [error] = errors;
      if (error === undefined) return;
      // What waits again is published by the sweep; a job that failed would keep others of its number from coming until then.
      if (anySmall) log.warn({ err: error, documents: errors.length }, 'ingestion was interrupted');
      else throw error instanceof Error ? error : new Error('ingestion was interrupted', { cause: error });
    },
  };
}

function fields(outcome: IngestionOutcome): object {
  return outcome.kind === 'failed'
    ? { outcome: outcome.kind, error_code: outcome.failure.code }
    : { outcome: outcome.kind };
}
