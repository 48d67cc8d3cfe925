import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { serveMedia } from './media-server.ts';

/** A server whose unidentified connections wait until the test decides whether they name a call. */
async function serve() {
  const opened: Array<PromiseWithResolvers<boolean>> = [];
  const server = await serveMedia<never>({
    host: '127.0.0.1',
    port: 0,
    paths: [],
    authorize: () => Promise.resolve(null),
    open: () => undefined,
    unidentified: {
      paths: ['/unidentified'],
      judge: (_path, { 'x-signature': signature }) => (signature === undefined ? 'unsigned' : 'signed'),
      open() {
        const known = Promise.withResolvers<boolean>();
        opened.push(known);
        return known.promise;
      },
      limits: { atMost: 2, perSource: 1 },
    },
  });
  let closing: Promise<void> | null = null;
  const close = () => (closing ??= server.close());
  onTestFinished(close);
  const url = `ws://127.0.0.1:${server.port}/unidentified`;
  return {
    opened,
    port: server.port,
    close,
    /** Resolves with the connection, or the status that refuses it. */
    join: async (headers: Record<string, string> = {}): Promise<WebSocket | string> => {
      const socket = new WebSocket(url, { headers });
      onTestFinished(() => socket.terminate());
      return once(socket, 'open').then(
        () => socket,
        (error: unknown) => String(error).replace(/\D+/, ''),
      );
    },
  };
}

/** A client that never closes its side. Resolves to the server's first answer, and a promise of the server's close. */
async function stubborn(port: number, path: string): Promise<{ status: string; closed: Promise<unknown> }> {
  const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  const closed = new Promise((resolve) => socket.once('end', resolve).once('error', resolve));
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const answer = await new Promise<unknown>((resolve) => socket.once('data', resolve));
  return { status: String(answer).slice(9, 12), closed };
}

test('unsigned connections do not keep a carrier out', async () => {
  const { join } = await serve();
  expect(await join()).toBeInstanceOf(WebSocket);
  expect(await join()).toBe('503');
  expect(await join({ 'x-signature': 'right' })).toBeInstanceOf(WebSocket);
});

test('a connection that names its call frees its place for the next one, and stays open', async () => {
  const { join, opened } = await serve();
  const first = await join();
  opened[0]?.resolve(true);
  await opened[0]?.promise;
  expect(await join()).toBeInstanceOf(WebSocket);
  expect(first).toMatchObject({ readyState: WebSocket.OPEN });
});

test('a connection that names no call is terminated even if it never closes, and only then is its place free', async () => {
  const { join, opened, port } = await serve();
  const { status, closed } = await stubborn(port, '/unidentified');
  expect(status).toBe('101');
  expect(await join()).toBe('503');
  opened[0]?.resolve(false);
  await closed;
  expect(await join()).toBeInstanceOf(WebSocket);
});

test('a connection that closes before it names a call frees its place', async () => {
  const { join } = await serve();
  const first = await join();
  if (typeof first === 'string') throw new Error('refused');
  first.terminate();
  await expect.poll(() => join()).toBeInstanceOf(WebSocket);
});

test('a refused handshake is cut off even if the other side never closes, so it does not delay the shutdown', async () => {
  const { port, close } = await serve();
  expect((await stubborn(port, '/elsewhere')).status).toBe('404');
  await close();
});
