import type { Passage } from '@outdial/core';
import { ExtractionError } from '../extraction-error.ts';
import type { ChildMessage, ExtractMessage } from '../messages.ts';
import { cutPassages } from '../passages/cut-passages.ts';
import { extractPdfPages } from '../pdf/extract-pdf.ts';
import { extractTextPages } from '../text/extract-text.ts';

const CHARS_PER_MESSAGE = 1_000_000;
const PROGRESS_EVERY_PAGES = 10;

/** Reads one file and tells what it finds. Never rejects: whatever goes wrong is an answer too. */
export async function extractFile(
  bytes: Uint8Array<ArrayBuffer>,
  { fileType, limits }: ExtractMessage,
  send: (message: ChildMessage) => Promise<void>,
): Promise<void> {
  try {
    const pages =
      fileType === 'PDF'
        ? await extractPdfPages(bytes, limits, (pagesDone, pagesTotal) => {
            if (pagesDone % PROGRESS_EVERY_PAGES === 0)
              void send({ kind: 'progress', pagesDone, pagesTotal });
          })
        : extractTextPages(bytes, limits);
    for (const piece of inPieces(pages, (page) => page.length)) await send({ kind: 'pages', pages: piece });
    const passages: readonly Passage[] = cutPassages(pages);
    for (const piece of inPieces(passages, (passage) => passage.text.length)) {
      await send({ kind: 'passages', passages: piece });
    }
    await send({ kind: 'done' });
  } catch (error) {
    const failure =
      error instanceof ExtractionError
        ? error.failure
        : { code: 'damaged' as const, message: 'The file is damaged and cannot be read' };
    await send({ kind: 'failed', failure });
  }
}

function* inPieces<T>(rows: readonly T[], sizeOf: (row: T) => number): Generator<T[]> {
  let piece: T[] = [];
  let size = 0;
  for (const row of rows) {
    piece.push(row);
    size += sizeOf(row);
    if (size >= CHARS_PER_MESSAGE) {
      yield piece;
      piece = [];
      size = 0;
    }
  }
  if (piece.length > 0) yield piece;
}
