import type { Passage } from '@outdial/core';
import { ExtractionError } from '../extraction-error.ts';
import type { ChildMessage, ExtractMessage, TextPiece } from '../messages.ts';
import { cutPassages } from '../passages/cut-passages.ts';
import { extractPdfPages } from '../pdf/extract-pdf.ts';
import { extractTextPages } from '../text/extract-text.ts';

const charsPerMessage = 1_000_000;

/** Reads one file and sends its text. Never rejects: a failure is sent as a message. */
export async function extractFile(
  bytes: Uint8Array<ArrayBuffer>,
  { fileType, limits }: Pick<ExtractMessage, 'fileType' | 'limits'>,
  send: (message: ChildMessage) => Promise<void>,
): Promise<void> {
  try {
    const pages = fileType === 'PDF' ? await extractPdfPages(bytes, limits) : extractTextPages(bytes, limits);
    const pieces = inPieces(pages, cutPassages(pages));
    const last = pieces.pop() ?? nothing();
    for (const piece of pieces) await send({ kind: 'text', ...piece });
    await send({ kind: 'done', ...last });
  } catch (error) {
    const failure =
      error instanceof ExtractionError
        ? error.failure
        : { code: 'damaged' as const, message: 'The file is damaged and cannot be read' };
    await send({ kind: 'failed', failure });
  }
}

function nothing(): { pages: string[]; passages: Passage[] } {
  return { pages: [], passages: [] };
}

function inPieces(pages: readonly string[], passages: readonly Passage[]): TextPiece[] {
  const pieces: TextPiece[] = [];
  let open = nothing();
  let chars = 0;
  const grow = (by: number) => {
    chars += by;
    if (chars < charsPerMessage) return;
    pieces.push(open);
    open = nothing();
    chars = 0;
  };
  for (const page of pages) {
    open.pages.push(page);
    grow(page.length);
  }
  for (const passage of passages) {
    open.passages.push(passage);
    grow(passage.text.length);
  }
  pieces.push(open);
  return pieces;
}
