import type { ExtractionRequest } from '@outdial/core';

/** Enough for any file of a test, even on a busy machine, where the processes that read have a low priority. */
export const patientMs = 240_000;

/** Limits the reading time of these files, which never end. All others get enough. */
export const limitFor =
  (endless: readonly Uint8Array[], timeoutMs: number) =>
  ({ sizeBytes }: ExtractionRequest): number =>
    endless.some(({ length }) => length === sizeBytes) ? timeoutMs : patientMs;
