import { createApiKey, createUser } from '@outdial/db';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld, jwtConfig } from './api-world.ts';

const { client, db, logLines, organization } = await apiWorld();
const acme = await organization();
const withId = z.object({ data: z.object({ id: z.string() }) });

describe('a token', () => {
  const hour = Math.floor(Date.now() / 1000) + 3600;

  async function readWith(claims: Record<string, unknown>): Promise<number> {
    const jwt = await new SignJWT({ org: acme.id, role: 'viewer', sub: 'grace', exp: hour, ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(jwtConfig.issuer)
      .setAudience(jwtConfig.audience)
      .sign(new TextEncoder().encode(jwtConfig.secret));
    return (await client.send('GET /api/v1/campaigns', { headers: { Authorization: `Bearer ${jwt}` } }))
      .status;
  }

  test('is good', async () => {
    expect(await readWith({})).toBe(200);
  });

  test.each([
    { sub: 'a\u0000b' },
    { name: 'Grace\u0000' },
    { sub: '\ud800' },
    { exp: 1e300 },
    { iat: 1e300 },
    { nbf: -1 },
    { org: 'a\u0000' },
    { role: 'owner' },
  ])('with %j is 401', async (claims) => {
    expect(await readWith(claims)).toBe(401);
  });

  test('a key in the wrong header gets a hint at the right one', async () => {
    const answer = await client.send('GET /api/v1/campaigns', {
      headers: { Authorization: `Bearer ${acme.keys.admin}` },
    });
    expect([answer.status, answer.json]).toEqual([
      401,
      { detail: 'This looks like an API key: send it as X-API-Key', code: 'unauthorized' },
    ]);
  });
});

test('a key never exceeds the role of its user', async () => {
  const userId = await createUser(db, {
    organizationId: acme.id,
    email: 'viewer@example.com',
    firstName: 'V',
    lastName: 'W',
    role: 'viewer',
  });
  const { key } = await createApiKey(db, { organizationId: acme.id, userId, name: 'above', role: 'admin' });
  expect((await client.send('GET /api/v1/campaigns', { key })).status).toBe(200);
  const answer = await client.send('POST /api/v1/knowledge-base', { key, json: { name: 'x' } });
  expect(answer.json).toMatchObject({ code: 'forbidden_role' });
});

test.each([
  ["filename*=UTF-8''a%00b.txt", 'ab.txt'],
  ["filename*=UTF-8''%00", 'unnamed'],
  [`filename="${'😀'.repeat(200)}.txt"`, undefined],
])('a file with %s is taken', async (disposition, name) => {
  const base = withId.parse(
    (await client.send('POST /api/v1/knowledge-base', { key: acme.keys.member, json: { name: 'x' } })).json,
  ).data.id;
  const part = `Content-Disposition: form-data; name="file"; ${disposition}\r\nContent-Type: text/plain`;
  const answer = await client.send(`POST /api/v1/knowledge-base/${base}/items`, {
    key: acme.keys.member,
    headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
    body: `--x\r\n${part}\r\n\r\nhello there\r\n--x--\r\n`,
  });
  expect(answer.status).toBe(200);
  const taken = z.object({ data: z.object({ name: z.string() }) }).parse(answer.json).data.name;
  expect(taken).toBe(name ?? taken);
  expect(taken.isWellFormed()).toBe(true);
});

test('an answer never names a host that its caller made up', async () => {
  const made = await client.send(`POST /api/v1/agents/${await acme.agent()}/call`, {
    key: acme.keys.member,
    json: { to_phone: '+15551230000' },
  });
  const { id } = withId.parse(made.json).data;
  await db.updateTable('calls').set({ recording_url: 'x' }).where('id', '=', id).execute();
  const answer = await client.send(`GET /api/v1/calls/${id}`, {
    key: acme.keys.viewer,
    headers: { Host: 'evil.example.com', 'X-Forwarded-Host': 'evil.example.com' },
  });
  expect(answer.json).toMatchObject({
    data: { recording_url: `${client.base}/api/v1/calls/${id}/recording` },
  });
});

test('a path of sixteen kilobytes is cut in the log', async () => {
  const path = `/${'://:'.repeat(3_000)}`;
  expect((await client.send(`GET ${path}`)).status).toBe(404);
  const line = logLines.find((logged) => logged.includes('://:'));
  expect(line?.length).toBeLessThan(1_000);
});

test.each(['3ttps://127.0.0.1/', 'http://', 'https://[', 'x'])(
  'a webhook address %s is a 422',
  async (url) => {
    const answer = await client.send('POST /api/v1/webhook-endpoints', {
      key: acme.keys.admin,
      json: { url },
    });
    expect(answer.status).toBe(422);
  },
);

test('an id with NUL is 404', async () => {
  expect((await client.send('GET /api/v1/campaigns/%00', { key: acme.keys.admin })).status).toBe(404);
});

test.each(['DELETE /api/v1/suppressions/a%00b', 'GET /api/v1/people/a%00b/export'])(
  '%s names nothing: 422',
  async (label) => {
    const answer = await client.send(label, { key: acme.keys.admin });
    expect(answer.json).toMatchObject({ detail: [{ type: 'string_unicode' }] });
  },
);
