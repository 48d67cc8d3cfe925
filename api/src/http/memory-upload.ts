import type { Request, Response } from 'express';
import multer from 'multer';
import type { BodyShare } from './body-budget.ts';
import { UnsupportedMediaTypeError, ValidationError } from './errors.ts';
import { runMiddleware } from './run-middleware.ts';
import { type UploadDefinition, uploadError } from './upload.ts';

export interface FormInMemory {
  /** The text parts. */
  body: unknown;
  bytes: Buffer;
}

const MAX_FIELD_BYTES = 100_000;
const MAX_FIELDS = 20;

/** Reads a form with one file that is looked at and not kept. Its bytes count as those of a large body. */
export async function readFormInMemory(
  definition: UploadDefinition,
  limitBytes: number,
  { req, res, share }: { req: Request; res: Response; share: BodyShare },
): Promise<FormInMemory> {
  if (!/^\s*multipart\/form-data\s*(;|$)/i.test(req.headers['content-type'] ?? '')) {
    throw new UnsupportedMediaTypeError('The body must be multipart/form-data');
  }
  const length = Number(req.headers['content-length'] ?? limitBytes);
  share.take(Math.min(Number.isFinite(length) ? length : limitBytes, limitBytes));
  const readForm = multer({
    storage: multer.memoryStorage(),
    defParamCharset: 'utf8',
    limits: { fileSize: limitBytes, files: 1, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES },
  }).single(definition.field);
  try {
    await runMiddleware(readForm, req, res);
  } catch (error) {
    throw uploadError(error, limitBytes);
  }
  if (req.file === undefined) {
    throw new ValidationError([{ loc: ['body', definition.field], msg: 'Field required', type: 'missing' }]);
  }
  // multer's object has no prototype; schemas and tests want an ordinary one.
  return { body: { ...req.body }, bytes: req.file.buffer };
}
