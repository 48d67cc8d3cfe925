import type { ExtractionProgress } from '@outdial/core';
import { type Db, type IngestionLease, renewLeases } from '@outdial/db';

/** The leases of one job's documents. */
export interface RenewedLeases {
  progress(lease: IngestionLease, progress: ExtractionProgress): void;
  partDone(): number;
  /** The document has been written, or abandoned. */
  end(lease: IngestionLease): void;
  /** Resolves when no renewal is in progress. */
  stop(): Promise<void>;
}

const begun: ExtractionProgress = { pagesDone: 0, pagesTotal: null };

/** Renews each lease three times within its duration, so that one failed renewal does not lose it. */
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
      // The next renewal may succeed. If none does, the leases expire, and every write is refused.
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
