import type { FileKind } from '../knowledge-base/file-kind.ts';
import type { ExtractionFailure } from '../knowledge-base/extraction-failure.ts';

/**
 * Turns one file into text. An adapter processes hostile input: it must answer within its own limits of time and
 * memory for any file, and must not harm anything else.
 */
export interface TextExtractor {
  /** Never rejects because of a file's content; rejects with the signal's reason, or if the file cannot be read. */
  extract(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractionResult>;
  readonly load: ExtractorLoad;
  /** Stops its processes. Extractions in progress reject. */
  close(): Promise<void>;
}

/** `free`: a file would be read at once, without a time limit. `stuck`: the same files have held all places for a while. */
export type ExtractorLoad = 'free' | 'busy' | 'stuck';

export interface ExtractionRequest {
  /** The owner of the file. Files of owners with the least recent reading time are read first. */
  owner?: string;
  /** The file takes long, and must be read without the short deadline of a temporary place. */
  isSlow?: boolean;
  fileType: FileKind;
  /** The exact number of bytes in `bytes`. */
  sizeBytes: number;
  /** A whole small file: many of these are read one after the other without a pause. */
  bytes: AsyncIterable<Uint8Array> | Uint8Array;
  /** Called when the file's turn comes. */
  onBegin?: () => void;
  /** Called occasionally, to show progress. `pagesTotal` is null while it is unknown. */
  onProgress?: (progress: ExtractionProgress) => void;
}

export interface ExtractionProgress {
  pagesDone: number;
  pagesTotal: number | null;
}

export type ExtractionResult =
  | { kind: 'extracted'; text: ExtractedText }
  | { kind: 'failed'; failure: ExtractionFailure }
  /**
   * Long files occupy all processes. `isSlow`: the file was tried briefly in a temporary process, and is slow too. Otherwise its owner has used up
   * its recent reading time.
   */
  | { kind: 'put_off'; isSlow: boolean };

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
