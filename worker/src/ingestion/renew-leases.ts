import type { ExtractionProgress } from '@outdial/core';
import { type Db, type IngestionLease, renewLeases } from '@outdial/db';

/** The leases of the documents that one job has. */
export interface RenewedLeases {
  progress(lease: IngestionLease, progress: ExtractionProgress): void;
  /** How much of the documents is done, from 0 to 1. */
  partDone(): number;
  /** The document is written down, or given up. */
  end(lease: IngestionLease): void;
  /** Resolves when nothing is being renewed any more. */
  stop(): Promise<void>;
}

const begun: ExtractionProgress = { pagesDone: 0, pagesTotal: null };

/** Renews them three times in their length, so that one failed renewal does not lose them. */
export function startRenewing(
  db: Db,
  leases: readonly IngestionLease[],
  { leaseSeconds, onLost }: { leaseSeconds: number; onLost: (lease: IngestionLease) => void },
): RenewedLeases {
  const kept = new Map(leases.map((lease) => [lease, begun]));
  let renewal: Promise<void> = Promise.resolve();

  async function renew(): Promise<void> {
    const renewed = [...kept].map(([lease, progress]) => ({ lease, ...progress }));
    if (renewed.length === 0) return;
    try {
      const held = await renewLeases(db, renewed, leaseSeconds);
      for (const { lease } of renewed) {
        if (kept.has(lease) && !held.has(lease.leaseId)) onLost(lease);
      }
    } catch {
      // The next one may succeed; if none does, the leases run out, and every write is refused.
    }
  }

  const timer = setInterval(
    () => {
      renewal = renew();
    },
    (leaseSeconds * 1000) / 3,
  );
  return {
    progress(lease, progress) {
      if (kept.has(lease)) kept.set(lease, progress);
    },
    partDone() {
      const ended = leases.length - kept.size;
      const parts = [...kept.values()].map(({ pagesDone, pagesTotal }) =>
        pagesTotal ? pagesDone / pagesTotal : 0,
      );
      return parts.reduce((sum, part) => sum + part, ended) / leases.length;
    },
    end(lease) {
      kept.delete(lease);
    },
    async stop() {
      clearInterval(timer);
      await renewal;
    },
  };
}
