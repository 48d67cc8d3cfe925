import type { ExtractionFailure, FileKind, Passage } from '@outdial/core';

/** Of the child's end of the pipe whose other end is the pool's. */
export const PARENT_FD = 4;

/** Requests of the pool to a child, which reads the files one by one in order of arrival. */
export interface ExtractMessage {
  /** Comes back with everything that is said of the file. */
  fileId: number;
  fileType: FileKind;
  sizeBytes: number;
  /**
   * The file, where it is small: it is read as soon as those before it are. Null if its bytes follow on the child's standard input;
   * then the child waits for the word to begin.
   */
  bytes: Uint8Array | null;
  limits: TextLimits;
}

export interface TextLimits {
  maxPages: number;
  maxTextChars: number;
}

export interface ChildReport {
  /** Of which file; null if it is of none. */
  fileId: number | null;
  message: ChildMessage;
  /** Its current use. */
  residentBytes: number;
}

/** A message of a child. Text comes in pieces, in order, so that messages are bounded. */
export type ChildMessage =
  /** Warm: it takes a file now. */
  | { kind: 'ready' }
  | { kind: 'progress'; pagesDone: number; pagesTotal: number | null }
  /** Text of a file that has more of it. */
  | ({ kind: 'text' } & TextPiece)
  /** The last of a file, or all of it. */
  | ({ kind: 'done' } & TextPiece)
  | { kind: 'failed'; failure: ExtractionFailure };

export interface TextPiece {
  pages: readonly string[];
  passages: readonly Passage[];
}
