/** An error whose `code` is part of the interface: it never changes, and callers may branch on it. */
export abstract class CodedError extends Error {
  abstract readonly code: string;
  /** What the caller may read. The message of the error itself may say more, and goes to the log. */
  readonly publicMessage: string;

  constructor(publicMessage: string, options?: { cause?: unknown; internal?: string }) {
    super(options?.internal ?? publicMessage, { cause: options?.cause });
    this.name = new.target.name;
    this.publicMessage = publicMessage;
  }
}

/** The id names nothing in the caller's organization. */
export class NotFoundError extends CodedError {
  readonly code = 'not_found';
}

/** The resource is in a state that does not allow this. */
export class ConflictError extends CodedError {
  readonly code: string;

  constructor(code: string, publicMessage: string) {
    super(publicMessage);
    this.code = code;
  }
}
