import { type FailedCredentials, failuresWindowMs } from '@outdial/runtime';
import type { Request } from 'express';
import { RetryLaterError } from './errors.ts';

/** Await this before a refused credential is answered. @throws RetryLaterError (429) if too many such answers already wait */
export async function slowDown(failed: FailedCredentials, req: Request): Promise<void> {
  if ((await failed.slowDown({ socket: { remoteAddress: req.ip } })) === 'refuse') return;
  throw new RetryLaterError(
    429,
    'too_many_failures',
    'Too many requests with invalid credentials came from this address',
    { retryAfterSeconds: failuresWindowMs / 1_000 },
  );
}
