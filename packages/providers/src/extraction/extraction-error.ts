import type { ExtractionFailure, ExtractionFailureCode } from '@outdial/core';

/** Thrown inside the extraction process. The pool returns its failure. */
export class ExtractionError extends Error {
  readonly failure: ExtractionFailure;

  constructor(code: ExtractionFailureCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ExtractionError';
    this.failure = { code, message };
  }
}
