import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { callerGone, isCallerGone } from './caller-gone.ts';
import { sent } from './define-route.ts';
import type { Pace } from './long-answers.ts';
import { sendJson } from './send-json.ts';

/** Text is collected up to this size before it is written, because many tiny writes are slow. */
const chunkCharacters = 64 * 1024;

/**
 * Answers 200 with JSON that is never completely in memory. `parts` are consecutive pieces of the text, which are read only as fast as the
 * caller reads and `pace` allows, until the caller disconnects. An error after the first piece cuts the connection.
 */
export async function streamJson(
  res: Response,
  parts: AsyncIterable<string> | Iterable<string>,
  pace?: Pace,
): Promise<typeof sent> {
  const chunks = gather(parts);
  // An error before the first write still gets a proper answer.
  const begun = [await chunks.next(), await chunks.next()];
  const [first, second] = begun;
  if (first?.done !== true && second?.done === true) {
    // Most answers are one piece, which is written at once without a stream.
    const tag = res.getHeader('ETag');
    sendJson(res, first?.value ?? '', typeof tag === 'string' ? tag : undefined);
    return sent;
  }
  res.status(200).type('json');
  try {
    await pipeline(Readable.from(rest(begun, chunks, pace, callerGone(res))), res);
  } catch (error) {
    if (!isCallerGone(error)) throw error;
  }
  return sent;
}

async function* gather(parts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string, void> {
  let text = '';
  for await (const part of parts) {
    text += part;
    if (text.length >= chunkCharacters) {
      yield text;
      text = '';
    }
  }
  yield text;
}

async function* rest(
  begun: ReadonlyArray<IteratorResult<string, void>>,
  others: AsyncGenerator<string, void>,
  pace: Pace | undefined,
  gone: AbortSignal,
): AsyncGenerator<Buffer> {
  for (const read of begun) {
    if (read.done !== true) yield Buffer.from(read.value);
  }
  for await (const text of others) {
    await pace?.(text.length, gone);
    yield Buffer.from(text);
  }
}
