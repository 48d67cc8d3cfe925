import type { ExtractionProgress } from '@outdial/core';
import { type Db, type IngestionLease, renewLeases } from '@outdial/db';

export type LeaseRenewal = ReturnType<typeof startRenewing>;

const begun: ExtractionProgress = { pagesDone: 0, pagesTotal: null };

/** Renews each lease three times within its duration, so that one failed renewal does not cost the lease. */
export function startRenewing(
  db: Db,
  leases: readonly IngestionLease[],
  { leaseSeconds, onLost }: { leaseSeconds: number; onLost: (lease: IngestionLease) => void },
) {
  const active = new Map(leases.map((lease) => [lease, begun]));
  let renewal: Promise<void> = Promise.resolve();

  async function renew(): Promise<void> {
    const renewed = [...active].map(([lease, progress]) => ({ lease, ...progress }));
    if (renewed.length === 0) return;
    try {
      const held = await renewLeases(db, renewed, leaseSeconds);
      for (const { lease } of renewed) {
        if (active.has(lease) && !held.has(lease.leaseId)) onLost(lease);
      }
    } catch {
      // The next renewal may succeed. If none does, the leases expire and writes are refused.
    }
  }

  const timer = setInterval(
    () => {
      renewal = renew();
    },
    (leaseSeconds * 1000) / 3,
  );
  return {
    progress(lease: IngestionLease, progress: ExtractionProgress): void {
      if (active.has(lease)) active.set(lease, progress);
    },
    partDone(): number {
      const ended = leases.length - active.size;
      const parts = [...active.values()].map(({ pagesDone, pagesTotal }) =>
        pagesTotal ? pagesDone / pagesTotal : 0,
      );
      return parts.reduce((sum, part) => sum + part, ended) / leases.length;
    },
    /** The document was written or abandoned. */
    end(lease: IngestionLease): void {
      active.delete(lease);
    },
    /** Resolves when the renewal in progress has ended. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await renewal;
    },
  };
}
