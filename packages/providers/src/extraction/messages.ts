import type { ExtractionFailure, FileKind, Passage } from '@outdial/core';

/** The child's end of a pipe to the pool, which closes when the pool's process dies. */
export const parentFd = 4;

/** Announces a file to a child. Its bytes come on the child's standard input. */
export interface ExtractMessage {
  fileType: FileKind;
  sizeBytes: number;
  limits: TextLimits;
}

export interface TextLimits {
  maxPages: number;
  maxTextChars: number;
}

export interface ChildReport {
  message: ChildMessage;
  residentBytes: number;
}

/** A message of a child. Text comes in pieces, in order, so that the size of messages is bounded. */
export type ChildMessage =
  | { kind: 'ready' }
  /** A piece of text, with more to follow. */
  | ({ kind: 'text' } & TextPiece)
  /** The last piece of text, or all of it. */
  | ({ kind: 'done' } & TextPiece)
  | { kind: 'failed'; failure: ExtractionFailure };

export interface TextPiece {
  pages: readonly string[];
  passages: readonly Passage[];
}
