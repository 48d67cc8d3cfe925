import { ingestItemJob, type JobPayload } from '@outdial/contracts';
import { smallFileBytes } from '@outdial/core';
import { type ClaimedDocuments, claimDocuments, type IngestionLease } from '@outdial/db';
import type { JobContext, JobHandler, Publisher, QueueLog } from '@outdial/queues';
import { ingestDocuments, type IngestionDeps, type IngestionOutcome } from '../ingestion/ingest-documents.ts';
import { AdmissionControl } from '../ingestion/admission-control.ts';
import { InFlightJobs } from '../ingestion/in-flight-jobs.ts';
import { UnchargedTimes } from '../ingestion/uncharged-times.ts';

export interface IngestItemOptions extends IngestionDeps {
  publisher: Publisher;
  log: QueueLog;
  /** Concurrent jobs. */
  concurrency: number;
  /** After this time without a renewal, a worker counts as dead. */
  leaseSeconds?: number;
}

type Payload = JobPayload<typeof ingestItemJob>;

const defaultLeaseSeconds = 15;
/** The small documents that a job claims at once: about 50 ms of reading and at most four megabytes. */
const batchSize = { documents: 16, smallBytes: smallFileBytes };
/** A job claims more documents for this long, and then leaves the rest to the next job. */
const claimForMs = 30_000;
/** Jobs claim documents while the last of the previous ones are still being read. */
const unreadPerJob = 2;

/** Extracts the text of an uploaded item, and of other small ones that wait. A repeated or late job does nothing. */
export function ingestItem({
  publisher,
  log,
  concurrency,
  leaseSeconds = defaultLeaseSeconds,
  ...deps
}: IngestItemOptions): JobHandler<typeof ingestItemJob> {
  const admission = new AdmissionControl({
    readers: concurrency,
    unreadAtMost: unreadPerJob * concurrency,
  });
  const inFlight = new InFlightJobs();
  const readingTimes = new UnchargedTimes(deps.db);

  /** Jobs of small files are merged, so the remaining documents may have no other job. */
  async function publishAgain(payload: Payload): Promise<void> {
    try {
      await publisher.publish(ingestItemJob, payload);
    } catch (error) {
      log.warn({ err: error }, 'could not publish a job for small files; a sweep will publish it');
    }
  }

  async function claim(payload: Payload, context: JobContext): Promise<ClaimedDocuments> {
    const { item_id: itemId, small_files: smallFiles } = payload;
    return admission.claim(context.signal, async () => {
      await readingTimes.flush();
      const anySmall = smallFiles !== undefined;
      const { load } = deps.extractor;
      return claimDocuments(deps.db, { itemId, anySmall, load, leaseSeconds, batch: batchSize });
    });
  }

  async function ingest(leases: readonly IngestionLease[], context: JobContext): Promise<unknown[]> {
    const errors: unknown[] = [];
    await ingestDocuments(deps, leases, {
      leaseSeconds,
      smallBytes: batchSize.smallBytes,
      inFlight,
      signal: context.signal,
      onProgress(part) {
        // Only shown in bull-board, so a lost update does not matter.
        context.updateProgress(Math.floor(part * 100)).catch(() => undefined);
      },
      onRead(lease, { returned, readingMs }) {
        readingTimes.add(lease.organizationId, readingMs);
        admission.leave({ returned });
      },
      onOutcome(lease, outcome) {
        if (outcome.kind === 'interrupted') errors.push(outcome.error);
        log.info(
          { item_id: lease.itemId, document_id: lease.documentId, ...fields(outcome) },
          'item ingested',
        );
      },
    });
    return errors;
  }

  return {
    job: ingestItemJob,
    concurrency,
    async handle(payload, context) {
      const anySmall = payload.small_files !== undefined;
      const claimUntilMs = performance.now() + claimForMs;
      for (;;) {
        const { leases, moreWait } = await claim(payload, context);
        if (leases.length === 0) return;
        if (anySmall && moreWait) await publishAgain(payload);
        const [error, ...further] = await ingest(leases, context);
        if (error !== undefined) {
          if (!anySmall) {
            throw error instanceof Error ? error : new Error('ingestion was interrupted', { cause: error });
          }
          // Not thrown: a failed job would block others with the same de-duplication id. A sweep publishes a new job.
          log.warn({ err: error, documents: further.length + 1 }, 'ingestion was interrupted');
          return;
        }
        // The claimed documents may be those of other jobs, while this job's document still waits.
        if (performance.now() > claimUntilMs) {
          await publishAgain(payload);
          return;
        }
      }
    },
  };
}

function fields(outcome: IngestionOutcome): object {
  return outcome.kind === 'failed'
    ? { outcome: outcome.kind, error_code: outcome.failure.code }
    : { outcome: outcome.kind };
}
