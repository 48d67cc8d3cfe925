import type { Request } from 'express';
import { UnsupportedMediaTypeError } from '../../http/errors.ts';
import { readBody } from '../../http/read-body.ts';

/** An event has at most a transcript. */
const eventBytesAtMost = 1024 * 1024;

/**
 * The body as received, as text of any content type. Signatures cover the bytes on the wire, so nothing is decompressed. @throws
 * PayloadTooLargeError · UnsupportedMediaTypeError · MalformedRequestError
 */
export async function readEventBody(req: Request): Promise<string> {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') {
    throw new UnsupportedMediaTypeError('Events with a content encoding are not accepted');
  }
  const chunks: Buffer[] = [];
  for await (const chunk of readBody(req, eventBytesAtMost)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
