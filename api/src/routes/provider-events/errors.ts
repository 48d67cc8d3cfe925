import { HttpError, ValidationError } from '../../http/errors.ts';
import type { Request } from 'express';

/** Unsigned, stale or forged. Only the log has which of them. */
export class EventSignatureError extends HttpError {
  readonly status = 401;
  readonly code = 'bad_signature';
  // RFC 9110, section 11.6.1, requires a challenge, but no scheme is registered for signed webhooks.
  override readonly headers = { 'WWW-Authenticate': 'StandardWebhooks' };

  constructor() {
    super('The signature of the event is missing, too old or wrong');
  }
}

export function malformedEvent(
  faults: ReadonlyArray<{ path: readonly PropertyKey[]; message: string }>,
): ValidationError {
  return new ValidationError(
    faults.map(({ path, message }) => ({
      loc: ['body', ...path.map((part) => (typeof part === 'number' ? part : String(part)))],
      msg: message,
      type: 'value_error',
    })),
  );
}

export const defaultCallTimes = { ringTimeoutSeconds: 45, maxCallSeconds: 1_800 };

/** Omits headers that occur more than once, which a provider would not sign. */
export function singleHeaders(req: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(req.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}
