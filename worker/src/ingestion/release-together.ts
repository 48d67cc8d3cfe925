import { type Db, type IngestionLease, releaseDocuments } from '@outdial/db';

/** Documents that are handed back in one turn of the event loop are so with one statement. */
export function releaseTogether(db: Db): (lease: IngestionLease) => Promise<void> {
  let next: { leases: IngestionLease[]; released: Promise<void> } | undefined;

  return (lease) => {
    if (!next) {
      const leases: IngestionLease[] = [];
      const released = new Promise<void>((resolve) => {
        setImmediate(() => {
          next = undefined;
          resolve(releaseDocuments(db, leases));
        });
      });
      next = { leases, released };
    }
    next.leases.push(lease);
    return next.released;
  };
}
