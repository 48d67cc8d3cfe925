import express, { type Request, type Response } from 'express';
import { bodyError } from '../../http/json-body.ts';
import { runMiddleware } from '../../http/run-middleware.ts';

/** An event carries at most a transcript. */
const eventBytesAtMost = 1024 * 1024;

// Signatures are over the bytes of the wire, so nothing is decompressed; whatever the body says it is, it is text for now.
const readRaw = express.raw({ type: () => true, limit: eventBytesAtMost, inflate: false });

/** The body as it came. @throws PayloadTooLargeError · UnsupportedMediaTypeError · MalformedRequestError. */
export async function readEventBody(req: Request, res: Response): Promise<string> {
  await runMiddleware(readRaw, req, res).catch((error: unknown) => {
    throw bodyError(error, eventBytesAtMost);
  });
  // body-parser sets a Buffer, or leaves it alone where the body is empty.
  const raw: unknown = req.body;
  return Buffer.isBuffer(raw) ? raw.toString('utf8') : '';
}
