import type { Request, RequestHandler, Response } from 'express';
import multer from 'multer';
import {
  MalformedRequestError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
  ValidationError,
} from './errors.ts';
import { runMiddleware } from './run-middleware.ts';

/** A route that takes one file in a multipart form. Its text parts are the route's `body`. */
export interface UploadDefinition {
  /** The name of the file's part. */
  readonly field: string;
  readonly description: string;
}

export interface UploadedFile {
  /** As the sender named it; never a path on this machine. */
  originalName: string;
  content: Buffer;
}

export type UploadReader = (req: Request, res: Response) => Promise<{ body: unknown; file: UploadedFile }>;

/** Text parts are names and notes. */
const MAX_FIELD_BYTES = 100_000;
const MAX_FIELDS = 20;

/** Reads a form with one file into memory. */
export function uploadReader(definition: UploadDefinition, limitBytes: number): UploadReader {
  const readForm: RequestHandler = multer({
    storage: multer.memoryStorage(),
    defParamCharset: 'utf8',
    limits: { fileSize: limitBytes, files: 1, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES },
  }).single(definition.field);

  return async function readUpload(req, res) {
    if (!/^\s*multipart\/form-data\s*(;|$)/i.test(req.headers['content-type'] ?? '')) {
      throw new UnsupportedMediaTypeError('The body must be multipart/form-data');
    }
    await runMiddleware(readForm, req, res).catch((error: unknown) => {
      throw uploadError(error, limitBytes);
    });
    const { file } = req;
    if (file === undefined) {
      throw new MissingFile(definition.field);
    }
    // multer's object has no prototype; schemas and tests want an ordinary one.
    const body: unknown = { ...req.body };
    return { body, file: { originalName: file.originalname, content: file.buffer } };
  };
}

class MissingFile extends ValidationError {
  constructor(field: string) {
    super([{ loc: ['body', field], msg: 'Field required', type: 'missing' }]);
  }
}

function uploadError(error: unknown, limitBytes: number): unknown {
  if (!(error instanceof multer.MulterError)) {
    // busboy's own words for a form that is cut or has no boundary.
    return error instanceof Error &&
      /Multipart|Unexpected end of form|Malformed|boundary/i.test(error.message)
      ? new MalformedRequestError('malformed_form', 'The body is not a valid multipart form', {
          cause: error,
        })
      : error;
  }
  switch (error.code) {
    case 'LIMIT_FILE_SIZE':
      return new PayloadTooLargeError(`The file is larger than ${limitBytes} bytes`);
    case 'LIMIT_FIELD_VALUE':
      return new PayloadTooLargeError(`A text part is larger than ${MAX_FIELD_BYTES} bytes`);
    case 'LIMIT_FILE_COUNT':
    case 'LIMIT_UNEXPECTED_FILE':
      return new ValidationError([
        { loc: ['body', error.field ?? 'file'], msg: 'File not expected', type: 'extra_forbidden' },
      ]);
    default:
      return new MalformedRequestError('malformed_form', 'The form has too many or too long parts', {
        cause: error,
      });
  }
}
