import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createAriClient } from './ari-client.ts';
import { deleteAsteriskRecording } from './recording.ts';

const callId = randomUUID();

/** Returns the result of the deletion and the requests. Without a listener, no server answers. */
async function remove(listener: RequestListener | null) {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url} ${req.headers.authorization}`);
    listener?.(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  if (listener === null) close();
  else onTestFinished(close);
  const ari = createAriClient({ url: `http://127.0.0.1:${port}`, user: 'u', password: 'p' });
  return { result: await deleteAsteriskRecording(ari, callId, AbortSignal.timeout(20_000)), asked };
}

const answers =
  (status: number, body: string): RequestListener =>
  (_req, res) => {
    res.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };

test('deletes the recording of the call in Asterisk', async () => {
  const { result, asked } = await remove(answers(204, ''));
  expect(result).toEqual({ kind: 'deleted' });
  expect(asked).toEqual([`DELETE /ari/recordings/stored/outdial-${callId} Basic dTpw`]);
});

test.each<[string, RequestListener | null, object]>([
  ['gone already', answers(404, '{"message":"Recording not found"}'), { kind: 'deleted' }],
  [
    'forbidden',
    answers(403, '{"message":"Forbidden"}'),
    { kind: 'refused', reason: 'Asterisk answered 403' },
  ],
  ['a disk that is full', answers(500, '{"message":"Failed"}'), { kind: 'unreachable' }],
  ['Asterisk while it starts', answers(503, '<html>'), { kind: 'unreachable', reason: 'http_503' }],
  ['a connection that is cut', (req) => req.socket.destroy(), { kind: 'unreachable' }],
  ['no server', null, { kind: 'unreachable' }],
])('%s: deleted, refused, or retried', async (_name, listener, result) => {
  expect((await remove(listener)).result).toMatchObject(result);
});
