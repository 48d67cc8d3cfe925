import type { Request, Response } from 'express';
import multer from 'multer';
import type { BodyShare } from './body-budget.ts';
import { missingField } from './errors.ts';
import { readForm, requireForm, type UploadDefinition } from './upload.ts';

/** Reads a form with one file into memory. Its bytes count as a large body. */
export async function readFormInMemory(
  definition: UploadDefinition,
  limitBytes: number,
  { req, res, share }: { req: Request; res: Response; share: BodyShare },
): Promise<{ body: unknown; bytes: Buffer }> {
  requireForm(req, definition.field);
  const length = Number(req.headers['content-length'] ?? limitBytes);
  share.take(Math.min(Number.isFinite(length) ? length : limitBytes, limitBytes));
  await readForm({ req, res }, { field: definition.field, storage: multer.memoryStorage(), limitBytes });
  if (req.file === undefined) throw missingField(definition.field);
  // multer's object has no prototype, but schemas and tests expect one.
  return { body: { ...req.body }, bytes: req.file.buffer };
}
