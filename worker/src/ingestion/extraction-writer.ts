import type { ExtractedText } from '@outdial/core';
import { type Db, type IngestionLease, isRefusedText, saveExtractions } from '@outdial/db';

/** Writes down the texts of one job's documents, several with one commit. */
export interface ExtractionWriter {
  /** False where the lease was lost; then nothing was written. */
  save(lease: IngestionLease, text: ExtractedText): Promise<boolean>;
  /** One that will not be saved: the others need not wait for it. */
  withoutText(): void;
}

/** A text that is there waits so long for those of other documents. */
const LINGER_MS = 25;

interface Waiting {
  lease: IngestionLease;
  text: ExtractedText;
  resolve(saved: boolean): void;
  reject(error: unknown): void;
}

export function createExtractionWriter(db: Db, documents: number): ExtractionWriter {
  let missing = documents;
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    const together = waiting;
    waiting = [];
    if (together.length > 0) void writeTogether(db, together);
  }

  function oneLess(): void {
    missing--;
    if (missing === 0) write();
    else if (waiting.length > 0) timer ??= setTimeout(write, LINGER_MS);
  }

  return {
    save: (lease, text) =>
      new Promise((resolve, reject) => {
        waiting.push({ lease, text, resolve, reject });
        oneLess();
      }),
    withoutText: oneLess,
  };
}

async function writeTogether(db: Db, together: readonly Waiting[]): Promise<void> {
  try {
    const saved = await saveExtractions(db, together);
    for (const one of together) one.resolve(saved.has(one.lease.leaseId));
  } catch (error) {
    if (together.length > 1 && isRefusedText(error))
      for (const one of together) await writeTogether(db, [one]);
    else for (const one of together) one.reject(error);
  }
}
