import { expect, onTestFinished, test } from 'vitest';
import { openSession } from './open-session.ts';
import { openSocketServer } from '../models/socket-server.fixture.ts';
import { realtimeParts } from './parts.fixture.ts';

/** Opens a session while the agent's first endpoint is down. Resolves to the request that the fallback gets. */
async function askedOfFallback({ own }: { own: string | null }): Promise<string> {
  const { server, url } = await openSocketServer();
  const address = Promise.withResolvers<string>();
  server.on('connection', (_socket, request) => address.resolve(request.url ?? ''));
  const session = openSession(
    {
      endpoints: new Map([
        ['first', { name: 'first', url, key: null, model: 'of-the-first' }],
        ['second', { name: 'second', url, key: null, model: own }],
      ]),
      isDown: (name) => name === 'first',
    },
    realtimeParts({ endpoint: 'first', model: 'of-the-agent', fallbacks: ['second'] }),
  );
  onTestFinished(() => session.close());
  return address.promise;
}

test('a realtime fallback uses its own model, or the agent’s if it has none', async () => {
  expect(await askedOfFallback({ own: 'of-the-second' })).toBe('/v1/realtime?model=of-the-second');
  expect(await askedOfFallback({ own: null })).toBe('/v1/realtime?model=of-the-agent');
});
