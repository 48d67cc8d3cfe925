import { callbackify } from 'node:util';
import type { Request, Response, RequestHandler } from 'express';
import multer, { type StorageEngine } from 'multer';
import { z } from 'zod';
import { holdsNul, unstorableText } from './check-input.ts';
import {
  MalformedRequestError,
  missingField,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
  ValidationError,
} from './errors.ts';
import { discardUpload, type FileReception, type ReceivedFile, receiveFile } from './receive-file.ts';

/** A route that takes one file in a multipart form. Its text parts are the route's `body`. */
export interface UploadDefinition {
  readonly field: string;
  readonly description: string;
  /** The file stays in memory and is passed to the handler, but not stored. */
  readonly inMemory?: true;
  /** With `inMemory`: also accepts the same data as a JSON body, which may be large. */
  readonly orJson?: true;
  /** The file is optional, and the text parts may come as JSON. */
  readonly optional?: true;
}

export interface UploadedFile extends ReceivedFile {
  /** The name that the sender gave it; never a path on this machine. */
  originalName: string;
}

type UploadReader = (
  req: Request,
  res: Response,
  reception: FileReception,
) => Promise<{ body: unknown; file: UploadedFile | undefined }>;

/** Text parts are names and notes. */
const maxFieldBytes = 100_000;
const maxFields = 20;

const formParts = z.record(z.string(), z.unknown());

export async function readForm(
  { req, res }: { req: Request; res: Response },
  { field, storage, limitBytes }: { field: string; storage: StorageEngine; limitBytes: number },
): Promise<void> {
  const read = multer({
    storage,
    defParamCharset: 'utf8',
    limits: { fileSize: limitBytes, files: 1, fields: maxFields, fieldSize: maxFieldBytes },
  }).single(field);
  try {
    await runMiddleware(read, req, res);
  } catch (error) {
    throw uploadError(error, { field, limitBytes });
  }
  const parts = Object.entries(formParts.parse({ ...req.body }));
  // multer reads a part that comes twice as a list, and one with brackets in its name as an object.
  const odd = parts.find(([, value]) => typeof value !== 'string');
  const unstorable = parts.filter(([, value]) => holdsNul(value));
  if (odd === undefined) {
    if (unstorable.length === 0) return;
    throw new ValidationError(unstorable.map(([name]) => unstorableText('body', name.slice(0, 100))));
  }
  const name = JSON.stringify(odd[0].slice(0, 100));
  throw new MalformedRequestError(
    'malformed_form',
    `The form has the part ${name} twice, or with brackets in its name: send each part once`,
  );
}

export function requireForm(req: Request, field: string): void {
  if (/^\s*multipart\/form-data\s*(;|$)/i.test(req.headers['content-type'] ?? '')) return;
  throw new UnsupportedMediaTypeError(
    `The body must be multipart/form-data with the file in the part \`${field}\`, as curl -F ${field}=@path sends it`,
  );
}

/** Reads a form with one file, and streams the file to the file store. */
export function uploadReader(definition: UploadDefinition, limitBytes: number): UploadReader {
  return async function readUpload(req, res, reception) {
    requireForm(req, definition.field);
    const storage = new StoreEngine(reception);
    try {
      await readForm({ req, res }, { field: definition.field, storage, limitBytes });
    } catch (error) {
      await storage.discard();
      throw error;
    }
    const { file } = req;
    // multer's object has no prototype, but schemas and tests expect one.
    const body: unknown = { ...req.body };
    if (file === undefined || storage.received === null) {
      if (definition.optional === true) return { body, file: undefined };
      throw missingField(definition.field);
    }
    return { body, file: { originalName: file.originalname, ...storage.received } };
  };
}

type FileDone = (error: unknown, info?: Partial<Express.Multer.File>) => void;

/** A custom storage engine of multer. */
class StoreEngine implements StorageEngine {
  readonly #reception: FileReception;
  received: ReceivedFile | null = null;

  constructor(reception: FileReception) {
    this.#reception = reception;
  }

  _handleFile(_req: Request, file: Express.Multer.File, done: FileDone): void {
    callbackify(() => this.#receive(file))(done);
  }

  _removeFile(_req: Request, _file: Express.Multer.File, done: (error: Error | null) => void): void {
    callbackify(() => this.discard())(done);
  }

  async #receive(file: Express.Multer.File): Promise<object> {
    this.received = await receiveFile(file.stream, this.#reception);
    return {};
  }

  async discard(): Promise<void> {
    const stored = this.received?.stored;
    this.received = null;
    if (stored) await discardUpload(this.#reception, stored.key);
  }
}

function uploadError(error: unknown, { field, limitBytes }: { field: string; limitBytes: number }): unknown {
  if (!(error instanceof multer.MulterError)) {
    // busboy's messages for a form that is cut or has no boundary, and multer's for a disconnected caller.
    return error instanceof Error &&
      /Multipart|Unexpected end of form|Malformed|boundary|^Request (aborted|closed)/i.test(error.message)
      ? new MalformedRequestError('malformed_form', 'The body is not a valid multipart form', {
          cause: error,
        })
      : error;
  }
  switch (error.code) {
    case 'LIMIT_FILE_SIZE':
      return new PayloadTooLargeError(`The file is larger than ${limitBytes} bytes`);
    case 'LIMIT_FIELD_VALUE':
      return new PayloadTooLargeError(`A text part is larger than ${maxFieldBytes} bytes`);
    case 'LIMIT_FILE_COUNT':
    case 'LIMIT_UNEXPECTED_FILE':
      return new ValidationError([
        {
          loc: ['body', error.field ?? field],
          msg: `File not expected; the form has one file, in the part \`${field}\``,
          type: 'extra_forbidden',
        },
      ]);
    default:
      return new MalformedRequestError(
        'malformed_form',
        'The form has too many parts, or a part that is too long',
        {
          cause: error,
        },
      );
  }
}

function runMiddleware(middleware: RequestHandler, req: Request, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    const returned: unknown = middleware(req, res, (error?: unknown) => {
      if (error === undefined || error === null) {
        resolve();
      } else {
        // Middlewares pass errors of their libraries unchanged.
        reject(error instanceof Error ? error : new Error('a middleware failed', { cause: error }));
      }
    });
    if (returned instanceof Promise) returned.catch(reject);
  });
}
