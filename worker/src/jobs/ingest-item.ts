import { ingestItemJob } from '@outdial/contracts';
import { claimDocuments, type IngestionLease } from '@outdial/db';
import type { JobHandler, QueueLog } from '@outdial/queues';
import { ingestDocuments, type IngestionDeps, type IngestionOutcome } from '../ingestion/ingest-documents.ts';
import { Room } from '../ingestion/room.ts';
import { TakenItems } from '../ingestion/taken-items.ts';

export interface IngestItemOptions extends IngestionDeps {
  log: QueueLog;
  /** Jobs at the same time. */
  concurrency: number;
  /** A worker that has died is noticed after this. */
  leaseSeconds?: number;
}

const DEFAULT_LEASE_SECONDS = 15;
/** What a job of a small document takes at once: a twentieth of a second of reading, and four megabytes at most. */
const BATCH = { documents: 16, smallBytes: 256 * 1024 };
/** The next are taken while the last of those before are read. */
const UNREAD_PER_JOB = 2;

/**
 * Extracts the text of an uploaded item, and of other small ones that wait. A job that comes twice, or late, or for a document
 * that has been taken along, finds nothing to do.
 */
export function ingestItem({
  log,
  concurrency,
  leaseSeconds = DEFAULT_LEASE_SECONDS,
  ...deps
}: IngestItemOptions): JobHandler<typeof ingestItemJob> {
  const taken = new TakenItems();
  const room = new Room(UNREAD_PER_JOB * concurrency);

  async function claim(itemId: string): Promise<IngestionLease[]> {
    if (taken.has(itemId)) return [];
    const leases = await claimDocuments(deps.db, { itemId, leaseSeconds, batch: BATCH });
    for (const lease of leases) taken.take(lease);
    return leases;
  }

  return {
    job: ingestItemJob,
    concurrency,
    async handle({ item_id: itemId }, context) {
      if (taken.has(itemId)) return;
      const leases = await room.claim(context.signal, () => claim(itemId));
      const errors: unknown[] = [];
      await ingestDocuments(deps, leases, {
        leaseSeconds,
        smallBytes: BATCH.smallBytes,
        signal: context.signal,
        onProgress(part) {
          // For whoever looks at the queue; a lost one is no loss.
          context.updateProgress(Math.floor(part * 100)).catch(() => undefined);
        },
        onRead: (_lease, { handedBack }) => room.leave({ handedBack }),
        onOutcome(lease, outcome) {
          if (outcome.kind !== 'ready' && outcome.kind !== 'failed') taken.giveBack(lease);
          if (outcome.kind === 'interrupted') errors.push(outcome.error);
          log.info(
            { item_id: lease.itemIds[0], document_id: lease.documentId, ...fields(outcome) },
            'item ingested',
          );
        },
      });
      if (errors.length > 0) throw errors[0];
    },
  };
}

function fields(outcome: IngestionOutcome): object {
  return outcome.kind === 'failed'
    ? { outcome: outcome.kind, error_code: outcome.failure.code }
    : { outcome: outcome.kind };
}
