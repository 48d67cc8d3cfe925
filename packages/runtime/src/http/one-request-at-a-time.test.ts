import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { connected } from './connection.fixture.ts';

const get = (path: string | number) => `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const many = (count: number) => Array.from({ length: count }, (_, at) => get(at)).join('');

/** The answers until the server closes the connection, or `count` have come. */
async function bodiesOf(socket: Socket, count = Number.POSITIVE_INFINITY): Promise<string[]> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.split('answer to /').length > count) break;
  }
  return text.match(/(?<=answer to )\S+(?=;)/g) ?? [];
}

/** Answers when it is told to. */
function heldAnswers() {
  const started: ServerResponse[] = [];
  let onStart = () => {};
  return {
    started,
    listener: ((_request, response) => {
      started.push(response);
      onStart();
    }) satisfies RequestListener,
    untilStarted: async (count: number) => {
      while (started.length < count) await new Promise<void>((resolve) => (onStart = resolve));
    },
  };
}

describe('a connection with pipelined requests', () => {
  test('gets its answers in order, each request started after the answer before it', async () => {
    const { started, listener, untilStarted } = heldAnswers();
    const { socket, port } = await connected(listener, many(3));
    await untilStarted(1);
    // A request on another connection is read later, so all three were parsed by then.
    const other = connect(port, '127.0.0.1');
    other.write(get('other'));
    await untilStarted(2);
    expect(started.map((response) => response.req.url)).toEqual(['/0', '/other']);
    for (let at = 0; at < 4; at++) {
      await untilStarted(at + 1);
      started[at]?.end(`answer to ${started[at]?.req.url};`);
    }
    expect(await bodiesOf(socket, 3)).toEqual(['/0', '/1', '/2']);
    other.destroy();
  });

  test('is closed after the answers to the first seventeen, and the others are not even parsed', async () => {
    let parsed = 0;
    const { socket, server } = await connected(({ url }, response) => {
      response.end(`answer to ${url};`);
    }, many(2_000));
    server.on('request', () => (parsed += 1));
    const bodies = await bodiesOf(socket);
    expect(bodies).toEqual(Array.from({ length: 17 }, (_, at) => `/${at}`));
    expect(parsed).toBeLessThanOrEqual(17);
  });

  test('is forgotten when its reader leaves: what waits is never started', async () => {
    const { started, listener, untilStarted } = heldAnswers();
    const { socket } = await connected(listener, many(2_000));
    await untilStarted(1);
    const closed = once(started[0] ?? socket, 'close');
    socket.destroy();
    await closed;
    await new Promise(setImmediate);
    expect(started).toHaveLength(1);
  });

  test('can go on after its answers', async () => {
    const { socket } = await connected(({ url }, response) => {
      response.end(`answer to ${url};`);
    }, many(5));
    expect(await bodiesOf(socket, 5)).toHaveLength(5);
    socket.write(get('more'));
    expect(await bodiesOf(socket, 1)).toEqual(['/more']);
  });

  test('may send bodies', async () => {
    const post = (path: string) => `POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello`;
    const { socket } = await connected(
      (request, response) => {
        let body = '';
        request.setEncoding('utf8').on('data', (text: string) => (body += text));
        request.on('end', () => response.end(`answer to ${request.url}/${body};`));
      },
      `${post('a')}${post('b')}${get('c')}`,
    );
    expect(await bodiesOf(socket, 3)).toEqual(['/a/hello', '/b/hello', '/c/']);
  });
});
