import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openModelConnections, send } from './connections.ts';
import { createWarmUp } from './warm-up.ts';

const never = new AbortController().signal;

/** A model server that counts connections and reports the connection of each request. */
async function server(
  serve: (request: IncomingMessage, response: ServerResponse, nth: number) => unknown,
  capacity = 1,
) {
  const sockets: Socket[] = [];
  const requests: string[] = [];
  const http = createServer((request, response) => {
    requests.push(request.method ?? '');
    request.resume().once('end', () => serve(request, response, sockets.indexOf(request.socket)));
  });
  http.on('connection', (socket) => sockets.push(socket));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const connections = openModelConnections(capacity);
  onTestFinished(async () => {
    await connections.destroy();
    http.close();
    http.closeAllConnections();
    await once(http, 'close');
  });
  const address = http.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`;
  const ask = async () => {
    const options = { method: 'POST', body: '{}', dispatcher: connections, signal: never } as const;
    const { statusCode, body } = await send(`${url}/chat/completions`, options);
    await body.dump();
    return statusCode;
  };
  /** The end of an answer was read, and its connection may be used again. */
  const isFree = () => {
    const stats = connections.stats[new URL(url).origin];
    return stats !== undefined && 'free' in stats && stats.free > 0;
  };
  return { url, connections, ask, sockets, requests, isFree };
}

const endpoint = (url: string) => ({ url, key: null });
const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};

test('the first request of a call uses the connection that was opened while the call rang', async () => {
  const { url, connections, ask, sockets, requests, isFree } = await server((_, response) => response.end());
  createWarmUp(connections)([endpoint(url)]);
  await until(isFree);
  expect(await ask()).toBe(200);
  expect(requests).toEqual(['GET', 'POST']);
  expect(sockets).toHaveLength(1);
});

test('at most eight connections are opened at a time, and an unreachable server is not an error', async () => {
  const answers: ServerResponse[] = [];
  const { url, connections, sockets, requests } = await server((_, response) => answers.push(response));
  const warm = createWarmUp(connections);
  for (let call = 0; call < 100; call += 1) warm([endpoint(url)]);
  warm([endpoint('http://127.0.0.1:1')]);
  await until(() => requests.length >= 8);
  for (const answer of answers) answer.end();
  expect(sockets).toHaveLength(8);
});

test('a request is repeated if the server closes a connection that was used before', async () => {
  let answered = 0;
  const { ask, sockets, requests, isFree } = await server((request, response, nth) => {
    if (nth === 0 && answered > 0) return request.socket.destroy();
    answered += 1;
    response.end();
  });
  expect(await ask()).toBe(200);
  await until(isFree);
  expect(await ask()).toBe(200);
  expect([requests.length, sockets.length]).toEqual([3, 2]);
});

test('a request is not repeated if the server closes a new connection', async () => {
  const { ask, requests } = await server((request) => request.socket.destroy());
  await expect(ask()).rejects.toThrow(/closed/);
  expect(requests).toEqual(['POST']);
});

test('every call of a full process gets connections to all three models, and none waits for a connection of another', async () => {
  const capacity = 40;
  const answers: ServerResponse[] = [];
  const { ask } = await server((_, response) => answers.push(response), capacity);
  const asked = Array.from({ length: capacity * 3 }, ask);
  await until(() => answers.length === capacity * 3);
  for (const answer of answers) answer.end();
  expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
});
