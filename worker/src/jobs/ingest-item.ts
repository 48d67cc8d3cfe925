import { setTimeout as sleep } from 'node:timers/promises';
import { ingestItemJob } from '@outdial/contracts';
import { Turns } from '@outdial/core';
import { claimDocument, type IngestionLease, organizationsWithDocuments } from '@outdial/db';
import type { JobHandler, Publisher, QueueLog } from '@outdial/queues';
import { ingestDocument, type IngestionDeps, type IngestionOutcome } from '../ingestion/ingest-document.ts';

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
