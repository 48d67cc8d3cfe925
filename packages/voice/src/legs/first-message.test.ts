import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { openSocketServer } from '../models/socket-server.fixture.ts';
import { firstMessage } from './first-message.ts';

/** Both ends of one connection. */
async function connection(): Promise<{ client: WebSocket; socket: WebSocket }> {
  const { server, url } = await openSocketServer();
  const connected = new Promise<WebSocket>((resolve) => server.once('connection', resolve));
  const client = new WebSocket(url.replace('http:', 'ws:'));
  onTestFinished(() => client.terminate());
  const socket = await connected;
  await once(client, 'open');
  return { client, socket };
}

const whole = (text: string) => text;
const received = (socket: WebSocket, count: number) =>
  new Promise<void>((resolve) => {
    let left = count;
    socket.on('message', () => {
      left -= 1;
      if (left === 0) resolve();
    });
  });

test('messages after the first one are buffered, up to a quarter of a megabyte', async () => {
  const { client, socket } = await connection();
  const naming = firstMessage(socket, whole);
  const all = received(socket, 41);
  client.send('start');
  for (let n = 0; n < 40; n += 1) client.send('x'.repeat(60_000));
  await all;
  const heard: string[] = [];
  (await naming)?.listen((text) => heard.push(text));
  expect(heard.map(({ length }) => length)).toEqual([60_000, 60_000, 60_000, 60_000]);
});

test('messages of a connection that we have closed are discarded, even if the other side sends more', async () => {
  const { client, socket } = await connection();
  const naming = firstMessage(socket, whole);
  const first = received(socket, 1);
  client.send('start');
  await first;
  const named = await naming;
  const all = received(socket, 3);
  // The client does not notice that we close.
  client.pause();
  socket.close();
  for (let n = 0; n < 3; n += 1) client.send('more');
  await all;
  const heard: string[] = [];
  named?.listen((text) => heard.push(text));
  expect(heard).toEqual([]);
});

test('a connection that does not name a call in time is no longer read', async () => {
  const { client, socket } = await connection();
  const texts: string[] = [];
  const read = (text: string) => {
    texts.push(text);
    return null;
  };
  expect(await firstMessage(socket, read, 1)).toBeNull();
  const first = received(socket, 1);
  client.send('late');
  await first;
  expect(texts).toEqual([]);
});
