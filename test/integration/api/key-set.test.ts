import { once } from 'node:events';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { apiWorld, jwtConfig } from './api-world.ts';

const { publicKey, privateKey } = await generateKeyPair('ES256');
const keySet = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] });
let answer = { status: 503, body: 'away' };
const issuer = createServer((_req, res) => {
  res.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body);
});
issuer.listen(0, '127.0.0.1');
await once(issuer, 'listening');
afterAll(() => {
  issuer.closeAllConnections();
  issuer.close();
});
const address = issuer.address();
const port = typeof address === 'object' ? address?.port : undefined;

const { client, organization } = await apiWorld({
  config: {
    jwt: {
      keys: { kind: 'jwks', url: new URL(`http://127.0.0.1:${port}/jwks.json`) },
      issuer: jwtConfig.issuer,
      audience: jwtConfig.audience,
    },
  },
});
const acme = await organization();

function claims(kid: string, alg: string): SignJWT {
  return new SignJWT({ org: acme.id, role: 'viewer' })
    .setProtectedHeader({ alg, kid })
    .setSubject('grace')
    .setIssuer(jwtConfig.issuer)
    .setAudience(jwtConfig.audience)
    .setExpirationTime('5 minutes');
}

const read = (token: string) =>
  client.send('GET /api/v1/calls/1', { headers: { Authorization: `Bearer ${token}` } });

test('tokens are verified against the key set, and while it cannot be read the answer is 503', async () => {
  const token = await claims('one', 'ES256').sign(privateKey);
  const away = await read(token);
  expect(away.status).toBe(503);
  expect(away.headers.get('retry-after')).toBe('5');
  expect(away.json).toMatchObject({ code: 'key_set_unavailable' });

  answer = { status: 200, body: keySet };
  expect((await read(token)).status).toBe(404);

  const stranger = await generateKeyPair('ES256');
  expect((await read(await claims('one', 'ES256').sign(stranger.privateKey))).status).toBe(401);
  expect((await read(await claims('two', 'ES256').sign(privateKey))).status).toBe(401);
});

test('HMAC is not accepted with a public key', async () => {
  const forged = await claims('one', 'HS256').sign(new TextEncoder().encode(keySet));
  expect((await read(forged)).status).toBe(401);
});
