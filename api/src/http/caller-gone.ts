import { CallerLeftError } from '@outdial/db';
import type { Response } from 'express';

interface Signals {
  readonly gone: AbortSignal;
  readonly ended: AbortController;
}

const known = new WeakMap<Response, Signals>();

/** Aborts when the caller's connection closes, also at the end of the answer. */
export function callerGone(res: Response): AbortSignal {
  return signalsOf(res).gone;
}

/** Aborts when the answer ends before it is complete: with a `CallerLeftError` when the caller disconnects, or with the reason of `endAnswer`. */
export function answerEnded(res: Response): AbortSignal {
  return signalsOf(res).ended.signal;
}

/** Ends an answer that its caller has lost the right to. One that has begun is cut; otherwise the request fails with the reason. */
export function endAnswer(res: Response, reason: Error): void {
  if (res.headersSent) res.destroy();
  else signalsOf(res).ended.abort(reason);
}

export async function unlessEnded<Result>(res: Response, work: Promise<Result>): Promise<Result> {
  const signal = answerEnded(res);
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function signalsOf(res: Response): Signals {
  const given = known.get(res);
  if (given !== undefined) return given;
  const gone = new AbortController();
  const ended = new AbortController();
  const onClose = () => {
    gone.abort();
    if (!res.writableFinished) ended.abort(new CallerLeftError());
  };
  if (res.closed) onClose();
  else res.once('close', onClose);
  const signals = { gone: gone.signal, ended };
  known.set(res, signals);
  return signals;
}

/** Whether a stream ended because its reader disconnected. */
export function isCallerGone(error: unknown): boolean {
  if (error instanceof CallerLeftError) return true;
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
