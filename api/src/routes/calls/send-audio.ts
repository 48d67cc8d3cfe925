import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Recording } from '@outdial/core';
import type { Request, Response } from 'express';
import { sent } from '../../http/define-route.ts';
import { RangeNotSatisfiableError } from '../../http/errors.ts';
import { isCallerGone } from '../../http/caller-gone.ts';

/**
 * Answers with audio, whole or one range (RFC 9110, section 14). Requests for several ranges, or with `If-Range` (there is no validator),
 * get the whole, as the RFC allows.
 */
export async function sendAudio(req: Request, res: Response, recording: Recording): Promise<typeof sent> {
  const range = askedRange(req, recording.size);
  res.status(range === null ? 200 : 206);
  res.set({
    'Content-Type': audioType(recording.contentType),
    'Cache-Control': 'private',
    'Accept-Ranges': recording.size === null ? 'none' : 'bytes',
  });
  const length = range === null ? recording.size : range.end - range.start + 1;
  if (length !== null) res.set('Content-Length', String(length));
  if (range !== null) {
    res.set('Content-Range', `bytes ${range.start}-${range.end}/${recording.size}`);
  }
  if (req.method === 'HEAD') {
    res.end();
    return sent;
  }
  try {
    await pipeline(Readable.from(recording.read(range ?? undefined)), res);
  } catch (error) {
    if (!isCallerGone(error)) throw error;
  }
  return sent;
}

function askedRange(req: Request, size: number | null): { start: number; end: number } | null {
  if (size === null || req.method === 'HEAD' || req.headers['if-range'] !== undefined) return null;
  const ranges = req.range(size);
  if (ranges === -1) throw new RangeNotSatisfiableError(size);
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  const [only] = ranges;
  return only === undefined ? null : { start: only.start, end: only.end };
}

/** A provider must not serve a content type that browsers would execute. */
function audioType(contentType: string): string {
  return /^audio\/[\w.+-]+$/i.test(contentType) ? contentType : 'application/octet-stream';
}
