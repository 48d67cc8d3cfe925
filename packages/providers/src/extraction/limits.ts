export interface ExtractionLimits {
  /** Resident memory of the child, in all. */
  memoryMb: number;
  timeoutMs: number;
  maxPages: number;
  /** UTF-16 units in all pages together. */
  maxTextChars: number;
}

export const defaultExtractionLimits: ExtractionLimits = {
  memoryMb: 768,
  timeoutMs: 120_000,
  maxPages: 5_000,
  maxTextChars: 50_000_000,
};
