import express, { type Request, type Response } from 'express';
import {
  MalformedRequestError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
  ValidationError,
} from './errors.ts';
import { findUnstorable } from './unstorable.ts';
import { runMiddleware } from './run-middleware.ts';

export type JsonBodyReader = (req: Request, res: Response) => Promise<unknown>;

/** Without a body there is nothing to parse; validation then says which fields are missing. */
const NOTHING = undefined;

// RFC 8259, section 8.1: JSON between systems is UTF-8. `fatal` refuses other bytes instead of guessing.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads and parses JSON bodies up to a size. Called after authentication, so a stranger cannot make the service parse. */
export function jsonBodyReader(limitBytes: number): JsonBodyReader {
  const readRaw = express.raw({ type: () => true, limit: limitBytes });

  return async function readJsonBody(req, res) {
    if (!hasBody(req)) {
      return NOTHING;
    }
    if (!isJson(req.headers['content-type'])) {
      throw new UnsupportedMediaTypeError('The body must be application/json in UTF-8');
    }
    await runMiddleware(readRaw, req, res).catch((error: unknown) => {
      throw bodyError(error, limitBytes);
    });
    // body-parser sets a Buffer, or leaves it alone where the body is empty.
    const raw: unknown = req.body;
    // The request lives until its answer has been sent; sixteen megabytes of bytes need not.
    req.body = undefined;
    // Decoded in a step of its own, so that nothing holds the bytes while the text is parsed.
    return Buffer.isBuffer(raw) && raw.length > 0 ? parse(decode(raw)) : NOTHING;
  };
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

function isJson(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type === undefined || !/^\s*application\/(json|[\w.-]+\+json)\s*$/.test(type)) {
    return false;
  }
  const charset = parameters.find((parameter) => parameter.trim().startsWith('charset='));
  return charset === undefined || /^\s*charset="?utf-?8"?\s*$/.test(charset);
}

function decode(raw: Buffer): string {
  try {
    return utf8.decode(raw);
  } catch (error) {
    throw notJson(error);
  }
}

function parse(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notJson(error);
  }
  const fault = findUnstorable(value, text);
  if (fault !== null) {
    throw new ValidationError([{ ...fault, loc: ['body', ...fault.loc] }]);
  }
  return value;
}

function notJson(cause: unknown): MalformedRequestError {
  return new MalformedRequestError('malformed_json', 'The body is not valid JSON', { cause });
}

/** The faults of reading a body, by the `type` that body-parser gives them: https://github.com/expressjs/body-parser#errors */
export function bodyError(error: unknown, limitBytes: number): unknown {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return new PayloadTooLargeError(`The body is larger than ${limitBytes} bytes`);
    case 'encoding.unsupported':
      return new UnsupportedMediaTypeError('The content encoding is not supported');
    case 'request.aborted':
    case 'request.size.invalid':
      return new MalformedRequestError('malformed_body', 'The body ended early', { cause: error });
    default:
      // A body that does not decompress comes as zlib's own error.
      return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
        ? new MalformedRequestError('malformed_body', 'The body cannot be decompressed', { cause: error })
        : error;
  }
}
