import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createAriClient } from './ari-client.ts';

/** A server that answers requests only when the test tells it to, like an Asterisk that hangs for a while. */
async function startSilent() {
  const waiting: ServerResponse[] = [];
  let arrived = 0;
  const server = createServer((_request, response) => {
    arrived += 1;
    waiting.push(response);
    server.emit('arrived');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    arrived: () => arrived,
    async untilArrived(count: number) {
      while (arrived < count) await once(server, 'arrived');
    },
    answerAll() {
      for (const response of waiting.splice(0)) response.end('[]');
    },
  };
}

test('rejects waiting requests at their deadline, and does not send them later', async () => {
  const asterisk = await startSilent();
  const ari = createAriClient({ url: asterisk.url, user: 'outdial', password: 'secret' });
  const ask = (signal: AbortSignal) => ari.ask({ method: 'GET', path: '/channels', signal });
  const patient = new AbortController();
  const first = Array.from({ length: 16 }, () => ask(patient.signal));
  await asterisk.untilArrived(16);

  const [hasty, late] = [new AbortController(), new AbortController()];
  const left = ask(hasty.signal);
  const stayed = ask(late.signal);
  hasty.abort();
  expect(await left).toMatchObject({ kind: 'not_connected' });
  expect(await ask(hasty.signal)).toMatchObject({ kind: 'not_connected' });

  asterisk.answerAll();
  expect((await Promise.all(first)).map(({ kind }) => kind)).toEqual(Array(16).fill('done'));
  await asterisk.untilArrived(17);
  asterisk.answerAll();
  expect(await stayed).toMatchObject({ kind: 'done' });
  expect(asterisk.arrived()).toBe(17);
});
