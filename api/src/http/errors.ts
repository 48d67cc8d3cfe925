import type { ValidationErrorEntry } from '@outdial/contracts';
import { CodedError } from '@outdial/core';

/** An error with an HTTP status. For errors of the rules (`NotFoundError`, `ConflictError`), see `answer-error.ts`. */
export abstract class HttpError extends CodedError {
  abstract readonly status: number;
  readonly headers: Readonly<Record<string, string>> = {};
}

/** The credential is missing or invalid. RFC 9110, section 11.6.1, requires a challenge in the answer. */
export class UnauthorizedError extends HttpError {
  readonly status = 401;
  readonly code = 'unauthorized';
  override readonly headers: Readonly<Record<string, string>>;

  constructor(publicMessage: string, options?: { badToken?: boolean; cause?: unknown }) {
    super(publicMessage, { cause: options?.cause });
    this.headers = {
      // RFC 6750, section 3: the answer names an invalid token.
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

/** The body names an organization other than the caller's. */
export class ForbiddenOrganizationError extends HttpError {
  readonly status = 403;
  readonly code = 'forbidden_organization';

  constructor() {
    super('organization_id is not the organization of this credential');
  }
}

/** The body does not match its content type: invalid JSON, an invalid multipart form, or bytes that are not UTF-8. */
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

/** RFC 9110, section 15.5.13. */
export class PreconditionFailedError extends HttpError {
  readonly status = 412;
  readonly code = 'changed_meanwhile';

  constructor() {
    super('The resource has changed since it was read with this ETag: read it again');
  }
}

/** The values of the request are invalid. `entries` has each fault. */
export class ValidationError extends HttpError {
  readonly status = 422;
  readonly code = 'validation';
  readonly entries: readonly ValidationErrorEntry[];

  constructor(entries: readonly ValidationErrorEntry[]) {
    super('the request is invalid');
    this.entries = entries;
  }
}

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

/** A temporary 409: the same request may be sent again after `retryAfterSeconds`. */
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
