import type { Response } from 'express';

/**
 * Answers 200 with the text of JSON. What Express's `json` does besides (kinds of content, entity tags, freshness) no answer of
 * ours needs, and text that stays text goes to the socket together with the headers.
 */
export function sendJson(res: Response, text: string): void {
  res.statusCode = 200;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  // Node leaves the text out where HEAD asks.
  res.end(text);
}
