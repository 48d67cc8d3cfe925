import type { Response } from 'express';

/** Aborts when the caller's connection closes. */
export function callerGone(res: Response): AbortSignal {
  const gone = new AbortController();
  if (res.closed) gone.abort();
  else res.once('close', () => gone.abort());
  return gone.signal;
}

/** Whether a stream ended because its reader disconnected. */
export function isCallerGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
