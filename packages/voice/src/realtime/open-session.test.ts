import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readAgentVoice } from '@outdial/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { openSession } from './open-session.ts';

/** Opens a session while the first endpoint of the agent is down, and resolves to what its fallback is asked for. */
async function askedOfFallback({ own }: { own: string | null }): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const client of server.clients) client.terminate();
    server.close();
    await once(server, 'close');
  });
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  const address = Promise.withResolvers<string>();
  server.on('connection', (_socket, request) => address.resolve(request.url ?? ''));
  const llm = { endpoint: 'first', model: 'of-the-agent', fallbacks: ['second'] };
  const read = readAgentVoice({ voice: { mode: 'realtime', llm } }, null);
  if (read.kind !== 'voice') throw new Error('the voice is not right');
  const url = `http://127.0.0.1:${port}/v1`;
  const session = openSession(
    {
      endpoints: new Map([
        ['first', { name: 'first', url, key: null, model: 'of-the-first' }],
        ['second', { name: 'second', url, key: null, model: own }],
      ]),
      isDown: (name) => name === 'first',
    },
    {
      agent: { prompt: 'You are Ada.', mitigation: '', harmfulIntents: [] },
      voice: read.voice,
      promptParams: {},
      tools: [],
      note: () => undefined,
      onFault: () => undefined,
    },
  );
  onTestFinished(() => session.close());
  return address.promise;
}

test('a realtime fallback is asked for its own model, or for the agent’s if it has none', async () => {
  expect(await askedOfFallback({ own: 'of-the-second' })).toBe('/v1/realtime?model=of-the-second');
  expect(await askedOfFallback({ own: null })).toBe('/v1/realtime?model=of-the-agent');
});
