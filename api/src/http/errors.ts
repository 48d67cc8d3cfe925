import type { ValidationErrorEntry } from '@outdial/contracts';
import { CodedError } from '@outdial/core';

/** An error that knows its own HTTP status. Errors of the rules (`NotFoundError`, `ConflictError`) do not: see `answer-error.ts`. */
export abstract class HttpError extends CodedError {
  abstract readonly status: number;
  readonly headers: Readonly<Record<string, string>> = {};
}

/** No credential, or one that is not good. RFC 9110, section 11.6.1, wants a challenge in the answer. */
export class UnauthorizedError extends HttpError {
  readonly status = 401;
  readonly code = 'unauthorized';
  override readonly headers: Readonly<Record<string, string>>;

  constructor(publicMessage: string, options?: { badToken?: boolean; cause?: unknown }) {
    super(publicMessage, { cause: options?.cause });
    this.headers = {
      // RFC 6750, section 3: a token that was sent and refused is named as such.
      'WWW-Authenticate':
        options?.badToken === true
          ? 'Bearer realm="outdial", error="invalid_token"'
          : 'Bearer realm="outdial"',
    };
  }
}

export class ForbiddenRoleError extends HttpError {
  readonly status = 403;
  readonly code = 'forbidden_role';
}

/** The body names an organization that is not the caller's. */
export class ForbiddenOrganizationError extends HttpError {
  readonly status = 403;
  readonly code = 'forbidden_organization';

  constructor() {
    super('organization_id is not the organization of this credential');
  }
}

/** The body is not what its content type says: broken JSON, a broken multipart form, bytes that are not UTF-8. */
export class MalformedRequestError extends HttpError {
  readonly status = 400;
  readonly code: string;

  constructor(code: string, publicMessage: string, options?: { cause?: unknown }) {
    super(publicMessage, options);
    this.code = code;
  }
}

export class PayloadTooLargeError extends HttpError {
  readonly status = 413;
  readonly code = 'payload_too_large';
}

export class UnsupportedMediaTypeError extends HttpError {
  readonly status = 415;
  readonly code = 'unsupported_media_type';
}

/** The request is understood and its values are not acceptable; `entries` name each. */
export class ValidationError extends HttpError {
  readonly status = 422;
  readonly code = 'validation_error';
  readonly entries: readonly ValidationErrorEntry[];

  constructor(entries: readonly ValidationErrorEntry[]) {
    super('the request is not valid');
    this.entries = entries;
  }
}

/** A field of the body whose value is not acceptable. */
export function fieldFault(field: string, msg: string): ValidationError {
  return new ValidationError([{ loc: ['body', field], msg, type: 'value_error' }]);
}

export function missingField(field: string): ValidationError {
  return new ValidationError([{ loc: ['body', field], msg: 'Field required', type: 'missing' }]);
}

/** RFC 9110, section 15.5.17. */
export class RangeNotSatisfiableError extends HttpError {
  readonly status = 416;
  readonly code = 'range_not_satisfiable';
  override readonly headers: Readonly<Record<string, string>>;

  constructor(size: number) {
    super(`The recording has ${size} bytes`);
    this.headers = { 'Content-Range': `bytes */${size}` };
  }
}

/** A 409 that passes: the same request may be sent again after `retryAfterSeconds`. */
export class RetryLaterError extends HttpError {
  readonly status: 409 | 429 | 503;
  readonly code: string;
  override readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: 409 | 429 | 503,
    code: string,
    publicMessage: string,
    retry: { retryAfterSeconds: number; cause?: unknown },
  ) {
    super(publicMessage, { cause: retry.cause });
    this.status = status;
    this.code = code;
    this.headers = { 'Retry-After': String(retry.retryAfterSeconds) };
  }
}
