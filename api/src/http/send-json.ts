import type { Response } from 'express';
import { entityTag, isKnown, type VersionOf } from './entity-tag.ts';

/**
 * Answers 200 with JSON text, or 304 if the caller has the same text (RFC 9110, section 13.1.2). Cheaper than Express's `json`: the text
 * and the headers go to the socket together.
 * @param tag by default that of the text, on reads
 */
export function sendJson(res: Response, text: string, tag?: string): void {
  if (isRead(res) ? sendTag(res, tag ?? entityTag(text)) : tag !== undefined && sendTag(res, tag)) return;
  res.statusCode = 200;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  // Node omits the text for HEAD.
  res.end(text);
}

/** Answers with a resource. On reads and on `PUT`, its tag has the state that `If-Match` compares. */
export function sendAnswer(res: Response, answer: unknown, versionOf?: VersionOf): void {
  const isTagged = isRead(res) || res.req.method === 'PUT';
  if (!isTagged || !isEnvelope(answer)) return sendJson(res, JSON.stringify(answer));
  const { data, ...head } = answer;
  const { meta = {} } = answer;
  // Serialized once for the text and its tag.
  const dataText = JSON.stringify(data);
  const headText = JSON.stringify(head).slice(1, -1);
  const state = versionOf === undefined ? dataText : JSON.stringify(versionOf(data));
  const tag = entityTag(state, meta);
  sendJson(res, `{${headText}${headText === '' ? '' : ','}"data":${dataText}}`, tag);
}

/** Sets the `ETag`. Returns whether the caller has the answer already, which is then 304. */
export function sendTag(res: Response, tag: string): boolean {
  res.setHeader('ETag', tag);
  if (!isRead(res)) return false;
  // Always revalidated, because the content may have changed.
  res.setHeader('Cache-Control', 'private, no-cache');
  if (!isKnown(res.req.headers['if-none-match'], tag)) return false;
  res.statusCode = 304;
  res.end();
  return true;
}

function isRead({ req }: Response): boolean {
  return req.method === 'GET' || req.method === 'HEAD';
}

function isEnvelope(answer: unknown): answer is { data: unknown; meta?: object } {
  return typeof answer === 'object' && answer !== null && 'data' in answer && answer.data !== undefined;
}
