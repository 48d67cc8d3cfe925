import type { Readable } from 'node:stream';
import type { VoiceEndpoint } from '@outdial/runtime';
import type { Dispatcher } from 'undici';
import { send } from './connections.ts';
import { isRefusal, RequestRefusedError } from './refusal.ts';

/**
 * Sends a request to a model server. Does not follow redirects. Uses undici's Node stream instead of the built-in `fetch`: if a request is aborted during
 * its answer, the body of `fetch` may raise an error that cannot be caught and ends the process.
 * @returns the body of the answer and its type
 * @throws RequestRefusedError if the request is at fault; other errors if the server fails, or `signal` aborts
 */
export async function post(
  endpoint: VoiceEndpoint,
  path: string,
  args: {
    headers: Record<string, string>;
    body: Uint8Array | string;
    signal: AbortSignal;
    connections: Dispatcher | undefined;
  },
): Promise<{ body: Readable; type: string }> {
  const { statusCode, headers, body } = await send(`${endpoint.url}${path}`, {
    ...(args.connections && { dispatcher: args.connections }),
    method: 'POST',
    headers: {
      ...(endpoint.key !== null && { authorization: `Bearer ${endpoint.key}` }),
      ...args.headers,
    },
    body: args.body,
    signal: args.signal,
  });
  // A reader of the body gets its errors. A discarded body has no reader.
  body.on('error', () => undefined);
  if (statusCode >= 200 && statusCode < 300) return { body, type: String(headers['content-type'] ?? '') };
  body.destroy();
  const message = `${path} was answered with ${statusCode}`;
  throw isRefusal(statusCode) ? new RequestRefusedError(message) : new Error(message);
}

export async function shortBody(body: Readable, bytesAtMost: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // A stream without an encoding yields buffers.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bytesAtMost) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
