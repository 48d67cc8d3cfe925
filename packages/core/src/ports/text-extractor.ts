import type { FileKind } from '../knowledge-base/file-kind.ts';
import type { ExtractionFailure } from '../knowledge-base/extraction-failure.ts';

/**
 * Turns one file into text. An adapter processes hostile input: it must answer within its own limits of time and
 * memory for any file, and must not harm anything else.
 */
export interface TextExtractor {
  /** Never rejects because of a file's content; rejects with the signal's reason, or if the file cannot be read. */
  extract(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractionResult>;
  /** Stops its processes. Extractions in progress reject. */
  close(): Promise<void>;
}

export interface ExtractionRequest {
  /** Organizations take turns. */
  organizationId?: string;
  fileType: FileKind;
  /** The exact number of bytes in `bytes`. */
  sizeBytes: number;
  bytes: AsyncIterable<Uint8Array>;
}

export type ExtractionResult =
  | { kind: 'extracted'; text: ExtractedText }
  | { kind: 'failed'; failure: ExtractionFailure };

export interface ExtractedText {
  /** Clean text of each page, in order, NFC, lines ended by `\n`. A text file without form feeds is one page. */
  pages: readonly string[];
  passages: readonly Passage[];
}

/** A part of a document, long enough to answer a question, and short enough to be read aloud. */
export interface Passage {
  /** Numbered from 1; for a passage across the end of a page, its first page. */
  page: number;
  text: string;
  /** The name of Postgres's text search configuration for its language; `simple` if there is none. */
  searchConfig: string;
  /** `text` for the index, with words marked in scripts without spaces. Null if it is the same. */
  searchText: string | null;
}
