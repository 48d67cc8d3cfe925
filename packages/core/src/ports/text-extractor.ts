import type { FileKind } from '../knowledge-base/file-kind.ts';
import type { ExtractionFailure } from '../knowledge-base/extraction-failure.ts';

/**
 * Turns one file into text. An adapter runs hostile input: it must answer within its own limits of time and
 * memory for any file, and harm nothing else in doing so.
 */
export interface TextExtractor {
  /** Never rejects for what a file holds; rejects with the signal's reason, or when the file cannot be read. */
  extract(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractionResult>;
  readonly load: ExtractorLoad;
  /** Ends its processes. Extractions in progress reject. */
  close(): Promise<void>;
}

/** `free`: a file would be read at once, for as long as it takes. `stuck`: the same files have held all places for a while. */
export type ExtractorLoad = 'free' | 'busy' | 'stuck';

export interface ExtractionRequest {
  /** Whose file it is. Files of those who had least of the readers' time lately are read first. */
  owner?: string;
  /** It takes long, and is to be read without the short deadline of a hurried place. */
  isSlow?: boolean;
  fileType: FileKind;
  /** The exact number of bytes in `bytes`. */
  sizeBytes: number;
  /** A small file whole: many of those are read one after the other without a pause. */
  bytes: AsyncIterable<Uint8Array> | Uint8Array;
  /** Told when it is its turn. */
  onBegin?: () => void;
  /** Called now and then, to show progress. `pagesTotal` is null while it is not known. */
  onProgress?: (progress: ExtractionProgress) => void;
}

export interface ExtractionProgress {
  pagesDone: number;
  pagesTotal: number | null;
}

export type ExtractionResult =
  | { kind: 'extracted'; text: ExtractedText }
  | { kind: 'failed'; failure: ExtractionFailure }
  /** Long files hold all places. `isSlow`: it was read beside them for a moment, and takes long itself. Else its owner had enough lately. */
  | { kind: 'put_off'; isSlow: boolean };

export interface ExtractedText {
  /** Clean text of each page, in order, NFC, lines ended by `\n`. A text file without form feeds is one page. */
  pages: readonly string[];
  passages: readonly Passage[];
}

/** A piece of a document that is long enough to answer a question, and short enough to be read out. */
export interface Passage {
  /** Numbered from 1; where it runs across a page's end, the page on which it begins. */
  page: number;
  text: string;
  /** Postgres's name of the text search configuration that fits its language; `simple` where none does. */
  searchConfig: string;
  /** `text` as the index shall see it: with words marked off in scripts that write none. Null where it is the same. */
  searchText: string | null;
}
