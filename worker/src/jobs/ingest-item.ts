import { ingestItemJob } from '@outdial/contracts';
import { claimDocument } from '@outdial/db';
import type { JobHandler, QueueLog } from '@outdial/queues';
import { ingestDocument, type IngestionDeps } from '../ingestion/ingest-document.ts';

export interface IngestItemOptions extends IngestionDeps {
  log: QueueLog;
  /** Files extracted at the same time: as many as the machine has cores to spare. */
  concurrency: number;
  /** A worker that has died is noticed after this. */
  leaseSeconds?: number;
}

const DEFAULT_LEASE_SECONDS = 15;

/** Extracts the text of an uploaded item. A job that comes twice, or late, finds nothing to do. */
export function ingestItem({
  log,
  concurrency,
  leaseSeconds = DEFAULT_LEASE_SECONDS,
  ...deps
}: IngestItemOptions): JobHandler<typeof ingestItemJob> {
  return {
    job: ingestItemJob,
    concurrency,
    async handle({ item_id: itemId }, context) {
      const lease = await claimDocument(deps.db, { itemId, leaseSeconds });
      if (!lease) return;
      const outcome = await ingestDocument(deps, lease, {
        leaseSeconds,
        signal: context.signal,
        onProgress({ pagesDone, pagesTotal }) {
          if (pagesTotal === null || pagesTotal === 0) return;
          // For whoever looks at the queue; a lost one is no loss.
          context.updateProgress(Math.floor((pagesDone / pagesTotal) * 100)).catch(() => undefined);
        },
      });
      log.info({ item_id: itemId, document_id: lease.documentId, ...fields(outcome) }, 'item ingested');
    },
  };
}

type Outcome = Awaited<ReturnType<typeof ingestDocument>>;

function fields(outcome: Outcome): object {
  return outcome.kind === 'failed'
    ? { outcome: outcome.kind, error_code: outcome.failure.code }
    : { outcome: outcome.kind };
}
