import type { StaticFile } from '@outdial/console/bundle';
import type { Request, Response } from 'express';
import { isKnown } from './entity-tag.ts';

/** Answers with a file in the encoding that the caller prefers, or 304 if the caller has it. All answers share its bytes. */
export function sendStatic(req: Request, res: Response, file: StaticFile, cacheControl: string): void {
  res.set({ ETag: file.etag, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' });
  if (isKnown(req.headers['if-none-match'], file.etag)) {
    res.status(304).end();
    return;
  }
  const encoding = req.acceptsEncodings('br', 'gzip', 'identity');
  const isCompressed = encoding === 'br' || encoding === 'gzip';
  if (isCompressed) res.set('Content-Encoding', encoding);
  const bytes = isCompressed ? file[encoding] : file.bytes;
  res.set({ 'Content-Type': file.contentType, 'Content-Length': String(bytes.length) });
  // Node omits the bytes for HEAD.
  res.end(bytes);
}
