import type { Response } from 'express';
import type { RouteDeps } from '../../deps.ts';
import { answerPieces } from '../../http/answer-pieces.ts';
import type { sent } from '../../http/define-route.ts';
import type { Slice } from '../../http/rows-in-chunks.ts';

const defaultSize = 50;

/** The whole list unless `page` or `size` is given. */
export function sliceOf({ page, size }: { page?: number | undefined; size?: number | undefined }): Slice {
  if (page === undefined && size === undefined) return { offset: 0, limit: null };
  const limit = size ?? defaultSize;
  return { limit, offset: ((page ?? 1) - 1) * limit };
}

/** Answers `{data: […]}`. */
export function answerList(
  res: Response,
  { longAnswers }: RouteDeps,
  { organizationId, rows }: { organizationId: string; rows: AsyncGenerator<string, void> },
): Promise<typeof sent> {
  return answerPieces(res, { longAnswers, organizationId }, dataText(rows));
}

async function* dataText(rows: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  yield '{"data":[';
  yield* rows;
  yield ']}';
}
