import { randomInt } from 'node:crypto';
import { connect } from 'node:net';

/** A request as it goes over the wire: nothing between mends what it says. */
export interface RawRequest {
  method: string;
  /** Path and query, in bytes of latin1. */
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

/** The head of a stream is all that there may be to read. */
const streamsAfterMs = 150;
const bodyAtMost = 300_000;

export class NoAnswerError extends Error {}

/** Sends a request on a connection of its own. @throws NoAnswerError where none came in time. */
export function sendRaw(base: URL, request: RawRequest, withinMs: number): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    // From another address each time, since refused credentials slow an address down.
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
    // A server may refuse what it has not read to its end: its answer may still have come before the reset.
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
  // What goes before the answer itself (RFC 9110, section 15.2) is no answer.
  const final = text.replace(/^(HTTP\/1\.1 1\d\d [^\n]*\r\n\r\n)+/, '');
  const [head = '', ...rest] = final.split('\r\n\r\n');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1];
  return { status: status === undefined ? null : Number(status), head, body: rest.join('\r\n\r\n') };
}
