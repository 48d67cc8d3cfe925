import type { ExtractionFailure, FileKind, Passage } from '@outdial/core';

/** What the pool asks of a child. The file's bytes follow on the child's standard input. */
export interface ExtractMessage {
  fileType: FileKind;
  sizeBytes: number;
  limits: TextLimits;
}

export interface TextLimits {
  maxPages: number;
  maxTextChars: number;
}

/** What comes through the channel from a child. */
export interface ChildReport {
  message: ChildMessage;
  /** What it uses at that moment. */
  residentBytes: number;
}

/** What a child says. Text comes in pieces, in order, so that no message grows without bound. */
export type ChildMessage =
  /** Warm: it takes a file now. */
  | { kind: 'ready' }
  | { kind: 'progress'; pagesDone: number; pagesTotal: number | null }
  | { kind: 'pages'; pages: readonly string[] }
  | { kind: 'passages'; passages: readonly Passage[] }
  | { kind: 'done' }
  | { kind: 'failed'; failure: ExtractionFailure };
