import { expect, test } from 'vitest';
import { apiWorld } from './api-world.ts';

const { client, organization } = await apiWorld({ config: { ops: null, jwt: null, corsOrigins: [] } });

test.each(['/metrics', '/ops/queues', '/ops/queues/'])(
  'without a credential in the settings %s does not exist',
  async (path) => {
    expect((await client.send(`GET ${path}`)).status).toBe(404);
  },
);

test('without a secret no token is good', async () => {
  const answer = await client.send('GET /api/v1/calls/1', { headers: { Authorization: 'Bearer a.b.c' } });
  expect(answer.status).toBe(401);
});

test('without origins no browser may call', async () => {
  const acme = await organization();
  const answer = await client.send('GET /api/v1/calls/1', {
    key: acme.keys.viewer,
    headers: { Origin: 'https://app.example.com' },
  });
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});
