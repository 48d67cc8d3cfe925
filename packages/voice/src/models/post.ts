import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { send } from './connections.ts';
import type { ChosenEndpoint } from './endpoints.ts';
import { isRefusal, RequestRefusedError } from './refusal.ts';

/**
 * Asks a model's server. Redirects are not followed. The body is read as a stream of Node: that of the built-in `fetch` may raise an
 * error which no caller can catch where a request is given up while its answer still comes, and that would end the process.
 * @throws RequestRefusedError where the request is at fault; others where the server fails, or `signal` aborts
 */
export async function post(
  endpoint: ChosenEndpoint,
  path: string,
  args: {
    headers: Record<string, string>;
    body: Uint8Array | string;
    signal: AbortSignal;
    connections: Dispatcher | undefined;
  },
): Promise<Readable> {
  const { statusCode, body } = await send(`${endpoint.url}${path}`, {
    ...(args.connections && { dispatcher: args.connections }),
    method: 'POST',
    headers: {
      ...(endpoint.key !== null && { authorization: `Bearer ${endpoint.key}` }),
      ...args.headers,
    },
    body: args.body,
    signal: args.signal,
  });
  // Who reads the body hears of errors as well; an answer that is thrown away has no reader.
  body.on('error', () => undefined);
  if (statusCode >= 200 && statusCode < 300) return body;
  body.destroy();
  if (isRefusal(statusCode)) throw new RequestRefusedError(path, statusCode);
  throw new Error(`${path} was answered with ${statusCode}`);
}

/** The whole of a short answer. */
export async function shortBody(body: Readable, bytesAtMost: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Without an encoding a stream of bytes gives buffers.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bytesAtMost) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
