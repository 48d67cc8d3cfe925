import type { ExtractionRequest } from '@outdial/core';

export interface ExtractionLimits {
  /** The total resident memory of the child. */
  memoryMb: number;
  /** A function gives each file its own limit. */
  timeoutMs: number | ((request: ExtractionRequest) => number);
  maxPages: number;
  /** In UTF-16 units, over all pages. */
  maxTextChars: number;
}

export const defaultExtractionLimits: ExtractionLimits = {
  memoryMb: 768,
  timeoutMs: 120_000,
  maxPages: 5_000,
  maxTextChars: 50_000_000,
};
