import type { ExtractionResult, TextExtractor } from '@outdial/core';

/** Reads a PDF, in pieces as they come from a store. */
export function extractPdf(
  extractor: TextExtractor,
  bytes: Uint8Array,
  {
    signal = new AbortController().signal,
    sizeBytes = bytes.length,
  }: { signal?: AbortSignal; sizeBytes?: number } = {},
): Promise<ExtractionResult> {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  }
  return extractor.extract({ fileType: 'PDF', sizeBytes, bytes: pieces() }, signal);
}
