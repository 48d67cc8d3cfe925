import { CallerLeftError } from '@outdial/db';
import type { Response } from 'express';

interface Signals {
  readonly gone: AbortSignal;
  readonly left: AbortSignal;
}

const known = new WeakMap<Response, Signals>();

/** Aborts when the caller's connection closes, also at the end of the answer. */
export function callerGone(res: Response): AbortSignal {
  return signalsOf(res).gone;
}

/** Aborts with a `CallerLeftError` when the caller disconnects before the end of the answer. */
export function callerLeft(res: Response): AbortSignal {
  return signalsOf(res).left;
}

function signalsOf(res: Response): Signals {
  const given = known.get(res);
  if (given !== undefined) return given;
  const gone = new AbortController();
  const left = new AbortController();
  const onClose = () => {
    gone.abort();
    if (!res.writableFinished) left.abort(new CallerLeftError());
  };
  if (res.closed) onClose();
  else res.once('close', onClose);
  const signals = { gone: gone.signal, left: left.signal };
  known.set(res, signals);
  return signals;
}

/** Whether a stream ended because its reader disconnected. */
export function isCallerGone(error: unknown): boolean {
  if (error instanceof CallerLeftError) return true;
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
