import { Batcher, type ExtractedText } from '@outdial/core';
import { type Db, type Extraction, type IngestionLease, isRefusedText, saveExtractions } from '@outdial/db';

/** Writes the texts of one job's documents, several in one commit. */
export interface ExtractionWriter {
  /** False if the lease was lost; then nothing was written. */
  save(lease: IngestionLease, text: ExtractedText): Promise<boolean>;
  /** A document that will not be saved: the others need not wait for it. */
  withoutText(): void;
}

/** How long a finished text waits for those of other documents. */
const LINGER_MS = 25;

export function createExtractionWriter(db: Db, documents: number): ExtractionWriter {
  const batcher = new Batcher<Extraction, boolean>({
    async run(extractions) {
      const saved = await saveExtractions(db, extractions);
      return extractions.map(({ lease }) => saved.has(lease.leaseId));
    },
    atMost: documents,
    gatherMs: LINGER_MS,
    isOneItemsFault: isRefusedText,
  });
  let missing = documents;

  function oneLess(): void {
    missing--;
    if (missing === 0) batcher.flush();
  }

  return {
    save(lease, text) {
      const saved = batcher.add({ lease, text });
      oneLess();
      return saved;
    },
    withoutText: oneLess,
  };
}
