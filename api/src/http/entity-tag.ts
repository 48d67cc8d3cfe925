import { hash } from 'node:crypto';
import type { Request } from 'express';
import { PreconditionFailedError } from './errors.ts';

/**
 * The `ETag` of an answer: one part for what a `PUT` may overwrite, and one for `meta`, which changes by itself, as the next dial of a campaign. Reads compare
 * both (`If-None-Match`), changes only the first (`If-Match`). Weak, because the same text may be compressed or not, and the instant of the read does not count.
 */
export function entityTag(state: string, meta: object = {}): string {
  // Warnings are about a request, not about the resource.
  const rest = Object.entries(meta).filter(([name]) => name !== 'warnings');
  const text = JSON.stringify(rest, (name, value: unknown) => (name === 'as_of' ? undefined : value));
  return `W/"${digest(state)}${rest.length === 0 ? '' : `.${digest(text)}`}"`;
}

function digest(text: string): string {
  return hash('sha1', text, 'base64url');
}

/** Whether the caller has the answer with this tag (RFC 9110, section 13.1.2). */
export function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || opaqueTags(ifNoneMatch).includes(opaque(tag));
}

/** The part of the data of an answer that a `PUT` may overwrite. */
export type VersionOf = (data: unknown) => unknown;

/** For a read whose data has the instant of the read. */
export const withoutInstant: VersionOf = (data) =>
  typeof data === 'object' ? { ...data, as_of: undefined } : data;

/**
 * Compares `If-Match` with the current data of the resource, as a read answers it. Call it where the resource is locked until the commit, so that two
 * changes with the same tag cannot both succeed. Without the header, reads nothing.
 * @throws PreconditionFailedError
 */
export type IfMatch = (current: () => unknown) => Promise<void>;

/** RFC 9110, section 13.1.1, except that weak tags match, because all of ours are weak. */
export function ifMatchOf(req: Request, versionOf: VersionOf = (data) => data): IfMatch {
  const header = req.headers['if-match'];
  if (header === undefined) return async () => undefined;
  return async (current) => {
    const data = await current();
    if (header.trim() === '*') return;
    const now = opaque(entityTag(JSON.stringify(versionOf(data))));
    if (!opaqueTags(header).some((tag) => stateOf(tag) === now)) throw new PreconditionFailedError();
  };
}

function opaqueTags(header: string): string[] {
  return header.split(',', 100).map((tag) => opaque(tag.trim()));
}

/** The tag with its quotes, without its weakness. */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}

function stateOf(tag: string): string {
  return tag.replace(/\.[^.]*"$/, '"');
}
