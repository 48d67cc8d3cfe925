import { Batcher, type ExtractedText } from '@outdial/core';
import { type Db, type Extraction, type IngestionLease, isRefusedText, saveExtractions } from '@outdial/db';

export type ExtractionWriter = ReturnType<typeof createExtractionWriter>;

/** How long a text waits for others. */
const lingerMs = 25;

/** Writes the texts of one job's documents, several per commit. */
export function createExtractionWriter(db: Db, documents: number) {
  const batcher = new Batcher<Extraction, boolean>({
    async run(extractions) {
      const saved = await saveExtractions(db, extractions);
      return extractions.map(({ lease }) => saved.has(lease.leaseId));
    },
    atMost: documents,
    gatherMs: lingerMs,
    isOneItemsFault: isRefusedText,
  });
  let missing = documents;

  function oneLess(): void {
    missing--;
    if (missing === 0) batcher.flush();
  }

  return {
    /** False if the lease was lost; then nothing was written. */
    save(lease: IngestionLease, text: ExtractedText): Promise<boolean> {
      const saved = batcher.add({ lease, text });
      oneLess();
      return saved;
    },
    /** The document has no text, so the others need not wait for it. */
    withoutText: oneLess,
  };
}
