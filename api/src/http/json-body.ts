import { parseJson, findJsonFault } from '@outdial/core';
import type { Request } from 'express';
import type { BodyShare } from './body-budget.ts';
import {
  MalformedRequestError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
  ValidationError,
} from './errors.ts';
import { JsonStructure, type StructureFault, type StructureLimits } from './json-structure.ts';
import { readBody } from './read-body.ts';
import { findUnstorable } from './unstorable.ts';

interface JsonBodyLimits {
  readonly bytes: number;
  readonly structure: StructureLimits;
}

/** The default for operations. */
const smallBodyBytes = 64 * 1024;

/** Far deeper than real bodies, and far from overflowing a parser's stack. */
const maxDepth = 100;

const smallBodyStructure: StructureLimits = { containers: 10_000, values: 30_000, depth: maxDepth };

export function smallBody(largestBytes: number, bytes = smallBodyBytes): JsonBodyLimits {
  return { bytes: Math.min(bytes, largestBytes), structure: smallBodyStructure };
}

/** For an operation that takes a list of people. A campaign with a million numbers, each with its own prompt values and time zone, has two million objects. */
export function largeBody(largestBytes: number): JsonBodyLimits {
  return {
    bytes: largestBytes,
    structure: { containers: 2_100_000, values: 8_000_000, depth: maxDepth },
  };
}

/** Without a body, validation reports the missing fields. */
const nothing = undefined;

// RFC 8259, section 8.1: JSON between systems is UTF-8. `fatal` refuses other bytes instead of guessing.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads and parses a JSON body. Bounds its size and structure while it arrives, so that no body uses more memory than its limits allow,
 * even after decompression. Called after credential and role are checked.
 */
export async function readJsonBody(req: Request, limits: JsonBodyLimits, share: BodyShare): Promise<unknown> {
  if (!hasBody(req)) return nothing;
  if (!isJson(req.headers['content-type'])) {
    throw new UnsupportedMediaTypeError(
      'The body must be JSON in UTF-8: send the header Content-Type: application/json',
    );
  }
  // A separate function, so that the bytes can be collected while the text is parsed.
  const structure = new JsonStructure(limits.structure);
  const text = decode(await readBounded(req, limits.bytes, { structure, share }));
  return text === '' ? nothing : parse(text, structure);
}

async function readBounded(
  req: Request,
  bytesAtMost: number,
  { structure, share }: { structure: JsonStructure; share: BodyShare },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of readBody(req, bytesAtMost)) {
    chunks.push(chunk);
    // The number of connections limits small bodies.
    const before = Math.max(length, smallBodyBytes);
    length += chunk.length;
    if (length > before) share.take(length - before);
    const fault = structure.scan(chunk);
    if (fault !== null) throw structureError(fault, Buffer.concat(chunks), structure);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}

function structureError(fault: StructureFault, read: Buffer, { topKey }: JsonStructure): Error {
  if (fault === 'too_many_values') return new PayloadTooLargeError('The body contains too many values');
  const name = topKey === null ? undefined : nameAt(read, topKey);
  return new ValidationError([
    {
      loc: name === undefined ? ['body'] : ['body', name],
      msg: `The body is nested deeper than ${maxDepth} levels`,
      type: 'value_error',
    },
  ]);
}

function nameAt(read: Buffer, { start, end }: { start: number; end: number }): string | undefined {
  try {
    const name: unknown = JSON.parse(read.toString('utf8', start, end));
    return typeof name === 'string' && name.isWellFormed() ? name.slice(0, 100) : undefined;
  } catch {
    // The text is not JSON either, but its depth is the clearer fault.
    return undefined;
  }
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

function isJson(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type === undefined || !/^\s*application\/(json|[\w.-]+\+json)\s*$/.test(type)) return false;
  const charset = parameters.find((parameter) => parameter.trim().startsWith('charset='));
  return charset === undefined || /^\s*charset="?utf-?8"?\s*$/.test(charset);
}

function decode(raw: Buffer): string {
  try {
    return utf8.decode(raw);
  } catch (error) {
    throw notJson(error);
  }
}

function parse(text: string, { members, hasRoundedNumber }: JsonStructure): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notJson(error);
  }
  // A text that is one number ends with it, so the scanner has not seen its end.
  if (hasRoundedNumber || members > membersOf(value) || typeof value === 'number') {
    refuseLosses(text, ['body']);
  }
  refuseUnstorable(value, text, ['body']);
  return value;
}

/**
 * JSON in a field of a form, with the limits of a small body. Undefined if it is none.
 * @param at the place of the field in the request
 */
export function parseFieldJson(text: string, at: readonly string[]): unknown {
  const fault = new JsonStructure(smallBodyStructure).scan(Buffer.from(text));
  if (fault !== null) {
    const what =
      fault === 'too_deep' ? `is nested deeper than ${maxDepth} levels` : 'contains too many values';
    throw new ValidationError([{ loc: [...at], msg: `The JSON ${what}`, type: 'value_error' }]);
  }
  const value = parseJson(text);
  if (value === undefined) return undefined;
  refuseLosses(text, at);
  refuseUnstorable(value, text, at);
  return value;
}

function refuseUnstorable(value: unknown, text: string, at: readonly string[]): void {
  const fault = findUnstorable(value, text);
  if (fault !== null) throw new ValidationError([{ ...fault, loc: [...at, ...fault.loc] }]);
}

/** How many members its objects have together. The depth is bounded. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
  let members = Array.isArray(value) ? 0 : inner.length;
  for (const item of inner) members += membersOf(item);
  return members;
}

function notJson(cause: unknown): MalformedRequestError {
  return new MalformedRequestError('malformed_json', `The body is not valid JSON${whereOf(cause)}`, {
    cause,
  });
}

/** The position at which the text breaks off, from V8's message. Never a part of the body, which may be personal data. */
function whereOf(cause: unknown): string {
  const message = cause instanceof SyntaxError ? cause.message : '';
  const place = /\(line (\d+) column (\d+)\)/.exec(message);
  if (place !== null) return `: see line ${place[1]}, column ${place[2]}`;
  if (message.startsWith('Unexpected end')) return ': it ends unexpectedly';
  const token = /^Unexpected token '(.)'/u.exec(message);
  return token === null ? '' : `: the character ${token[1]} is unexpected`;
}

/**
 * Refuses JSON of which reading would lose something: a name that occurs twice in an object, or digits of a number.
 * @param text valid JSON
 * @param at its place in the request
 * @throws MalformedRequestError · ValidationError
 */
function refuseLosses(text: string, at: readonly string[]): void {
  const fault = findJsonFault(text);
  if (fault === null) return;
  const steps = fault.path.map((step) =>
    typeof step === 'string' ? step.toWellFormed().slice(0, 100) : step,
  );
  if (fault.kind === 'repeated_name') {
    const where = [...at, ...steps.slice(0, -1)].join('.');
    throw new MalformedRequestError(
      'repeated_json_name',
      `The name "${steps.at(-1)}" occurs twice in ${where === 'body' ? 'the body' : where}, so one of its values would be lost`,
    );
  }
  throw new ValidationError([
    {
      loc: [...at, ...steps],
      msg: 'The number has more digits than are kept: send it as text, in quotation marks',
      type: 'value_error',
    },
  ]);
}
