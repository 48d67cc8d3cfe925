import type { ExtractionFailure, FileKind, Passage } from '@outdial/core';

/** The child's end of a pipe to the pool, which closes when the pool's process dies. */
export const parentFd = 4;

/** A request of the pool to a child, which reads files one by one in order of arrival. */
export interface ExtractMessage {
  /** Repeated in every report about the file. */
  fileId: number;
  fileType: FileKind;
  sizeBytes: number;
  /**
   * The content of a small file, which is read in turn. Null if the content follows on the child's standard input; then the child also waits for a
   * second message, to begin.
   */
  bytes: Uint8Array | null;
  limits: TextLimits;
}

export interface TextLimits {
  maxPages: number;
  maxTextChars: number;
}

export interface ChildReport {
  /** The file that the report is about, or null. */
  fileId: number | null;
  message: ChildMessage;
  /** The child's current resident memory. */
  residentBytes: number;
}

/** A message of a child. Text comes in pieces, in order, so that the size of messages is bounded. */
export type ChildMessage =
  /** The child can take a file. */
  | { kind: 'ready' }
  | { kind: 'progress'; pagesDone: number; pagesTotal: number | null }
  /** A piece of text, with more to follow. */
  | ({ kind: 'text' } & TextPiece)
  /** The last piece of text, or all of it. */
  | ({ kind: 'done' } & TextPiece)
  | { kind: 'failed'; failure: ExtractionFailure };

export interface TextPiece {
  pages: readonly string[];
  passages: readonly Passage[];
}
