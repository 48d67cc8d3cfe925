import { HttpError, ValidationError } from '../../http/errors.ts';

/** Unsigned, stale or forged: which of them is for the log only. */
export class EventSignatureError extends HttpError {
  readonly status = 401;
  readonly code = 'bad_signature';
  // RFC 9110, section 11.6.1, wants a challenge; there is no registered scheme for signed webhooks.
  override readonly headers = { 'WWW-Authenticate': 'StandardWebhooks' };

  constructor() {
    super('The signature of the event is missing, too old, or not right');
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
