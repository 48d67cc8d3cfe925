/** The session could not be opened, broke off, or fell silent. The message quotes nothing that was said on the call. */
export class RealtimeFailedError extends Error {
  readonly code = 'realtime_failed';

  constructor(reason: string, options?: { cause?: unknown }) {
    super(`the realtime model failed: ${reason}`, options);
    this.name = 'RealtimeFailedError';
  }
}
