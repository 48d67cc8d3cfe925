import { randomInt } from 'node:crypto';
import { connect } from 'node:net';

/** A request as it is sent over the wire. No library corrects it. */
export interface RawRequest {
  method: string;
  /** Path and query, as latin1. */
  target: string;
  headers: ReadonlyArray<readonly [name: string, value: string]>;
  body: Buffer | null;
}

export interface RawAnswer {
  /** Null if the connection ended without an answer. */
  status: number | null;
  head: string;
  body: string;
}

/** A stream does not end: after this time, only its head is read. */
const streamsAfterMs = 150;
const bodyAtMost = 300_000;

export class NoAnswerError extends Error {}

/**
 * Sends a request on a new connection.
 * @throws NoAnswerError if no answer comes in time
 */
export function sendRaw(base: URL, request: RawRequest, withinMs: number): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    // Each request comes from another address, because failed logins slow an address down.
    const localAddress = `127.${randomInt(1, 250)}.${randomInt(1, 250)}.${randomInt(1, 250)}`;
    const socket = connect({ port: Number(base.port), host: base.hostname, localAddress });
    const chunks: Buffer[] = [];
    let length = 0;
    const deadline = setTimeout(() => end(new NoAnswerError(`no answer within ${withinMs} ms`)), withinMs);
    let streaming: NodeJS.Timeout | undefined;

    function end(error?: Error) {
      clearTimeout(deadline);
      clearTimeout(streaming);
      socket.destroy();
      if (error === undefined) resolve(read(Buffer.concat(chunks)));
      else reject(error);
    }
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > bodyAtMost) return end();
      if (streaming === undefined && /content-type: text\/event-stream/i.test(chunk.toString('latin1'))) {
        streaming = setTimeout(end, streamsAfterMs);
      }
    });
    // A server may reset the connection of a request that it has not fully read. Its answer may have arrived before.
    socket.on('error', () => end());
    socket.on('end', () => end());
    socket.write(headOf(request), 'latin1');
    if (request.body !== null) socket.write(request.body);
  });
}

function headOf({ method, target, headers }: RawRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function read(bytes: Buffer): RawAnswer {
  const text = bytes.toString('utf8');
  // Skips interim answers (RFC 9110, section 15.2).
  const final = text.replace(/^(HTTP\/1\.1 1\d\d [^\n]*\r\n\r\n)+/, '');
  const [head = '', ...rest] = final.split('\r\n\r\n');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1];
  return { status: status === undefined ? null : Number(status), head, body: rest.join('\r\n\r\n') };
}
