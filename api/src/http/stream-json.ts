import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { callerGone, isCallerGone } from './caller-gone.ts';
import { sent } from './define-route.ts';
import type { Pace } from './long-answers.ts';
import { sendJson } from './send-json.ts';

/** Text is gathered to this size before it is written: many tiny writes cost more than what they carry. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Answers 200 with JSON that is never whole in memory. `parts` are pieces of the text in order; they are asked for only as
 * fast as the caller reads and `pace` allows, and no longer where the caller has gone. An error after the first piece cuts the connection.
 */
export async function streamJson(
  res: Response,
  parts: AsyncIterable<string> | Iterable<string>,
  pace?: Pace,
): Promise<typeof sent> {
  const chunks = gather(parts);
  // A failure before the first write still gets a proper answer.
  const begun = [await chunks.next(), await chunks.next()];
  const [first, second] = begun;
  if (first?.done !== true && second?.done === true) {
    // Most answers are one piece: written at once, without the machinery of a stream.
    sendJson(res, first?.value ?? '');
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
    if (text.length >= CHUNK_CHARACTERS) {
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
