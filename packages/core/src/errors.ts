/** An error whose `code` is part of the API: it never changes, and callers may branch on it. */
export abstract class CodedError extends Error {
  abstract readonly code: string;
  /** The text that the caller may read. The error's own message may contain more, and goes to the log. */
  readonly publicMessage: string;

  constructor(publicMessage: string, options?: { cause?: unknown; internal?: string }) {
    super(options?.internal ?? publicMessage, { cause: options?.cause });
    this.name = new.target.name;
    this.publicMessage = publicMessage;
  }
}

/** The id does not exist in the caller's organization. */
export class NotFoundError extends CodedError {
  readonly code = 'not_found';
}

/** The state of the resource does not allow the operation. */
export class ConflictError extends CodedError {
  readonly code: string;

  constructor(code: string, publicMessage: string) {
    super(publicMessage);
    this.code = code;
  }
}
