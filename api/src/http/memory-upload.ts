import type { Request, Response } from 'express';
import multer from 'multer';
import type { BodyShare } from './body-budget.ts';
import { missingField } from './errors.ts';
import { readForm, requireForm, type UploadDefinition } from './upload.ts';

/** Reads a form with one file that is looked at and not kept. Its bytes count as those of a large body. */
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
  // multer's object has no prototype; schemas and tests want an ordinary one.
  return { body: { ...req.body }, bytes: req.file.buffer };
}
