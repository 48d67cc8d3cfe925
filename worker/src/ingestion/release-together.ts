import { Batcher } from '@outdial/core';
import { type Db, type IngestionLease, releaseDocuments } from '@outdial/db';

/** Releases all documents that are returned in one turn of the event loop with one statement. */
export function releaseTogether(db: Db): (lease: IngestionLease) => Promise<void> {
  const batcher = new Batcher<IngestionLease, void>({
    async run(leases) {
      await releaseDocuments(db, leases);
      return leases.map(() => undefined);
    },
    atMost: 1_000,
  });
  return (lease) => batcher.add(lease);
}
