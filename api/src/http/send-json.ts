import { hash } from 'node:crypto';
import type { Response } from 'express';

/**
 * Answers 200 with JSON text, or 304 if the caller has the same text (RFC 9110, section 13.1.2). Cheaper than Express's `json`: the text
 * and the headers go to the socket together.
 */
export function sendJson(res: Response, text: string): void {
  const { req } = res;
  if (req.method === 'GET' || req.method === 'HEAD') {
    // Weak: the same text may be compressed or not.
    const tag = `W/"${hash('sha1', text, 'base64url')}"`;
    res.setHeader('ETag', tag);
    // Always revalidated, because the content may have changed.
    res.setHeader('Cache-Control', 'private, no-cache');
    if (isKnown(req.headers['if-none-match'], tag)) {
      res.statusCode = 304;
      res.end();
      return;
    }
  }
  res.statusCode = 200;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  // Node omits the text for HEAD.
  res.end(text);
}

/** Whether `If-None-Match` has the tag, by weak comparison (RFC 9110, section 13.1.2). */
export function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = tag.slice(2);
  return (
    ifNoneMatch.trim() === '*' ||
    ifNoneMatch.split(',', 100).some((given) => given.trim().replace(/^W\//, '') === opaque)
  );
}
