import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld, jwtConfig, testConfig } from './api-world.ts';
import { idOf } from './contract-client.ts';
import { someText } from './matchers.ts';

const previousSecret = 'the-secret-before-of-32-characters!';
const { aSecondLater, client, db, organization } = await apiWorld({
  config: {
    jwt: {
      ...testConfig.jwt,
      issuer: jwtConfig.issuer,
      audience: jwtConfig.audience,
      keys: { kind: 'secret', secret: jwtConfig.secret, previous: previousSecret },
      longestLifeSeconds: 3_600,
    },
  },
});
const withKey = z.object({ data: z.object({ id: z.string(), key: z.string() }) });
const withExpiry = z.object({ data: z.object({ expires_at: z.string().nullable() }) });
type Acme = Awaited<ReturnType<typeof organization>>;

async function createUser(acme: Acme, role = 'member'): Promise<string> {
  const json = { email: `${randomUUID()}@example.com`, first_name: 'Grace', last_name: 'Hopper', role };
  return client.create('POST /api/v1/users', { key: acme.keys.admin, json });
}

async function createKey(acme: Acme, json: object) {
  const answer = await client.send('POST /api/v1/api-keys', { key: acme.keys.admin, json });
  return withKey.parse(answer.json).data;
}

const put = (acme: Acme, userId: string, json: object) =>
  client.send(`PUT /api/v1/users/${userId}`, { key: acme.keys.admin, json });

async function statusOf(credential: { key?: string; headers?: Record<string, string> }): Promise<number> {
  return (await client.send('GET /api/v1/agents', credential)).status;
}

async function token(
  acme: Acme,
  subject: string,
  claims: Record<string, unknown> = {},
  secret = jwtConfig.secret,
) {
  const now = Math.floor(Date.now() / 1_000);
  const signed = await new SignJWT({ org: acme.id, role: 'member', iat: now, exp: now + 600, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(subject)
    .setIssuer(jwtConfig.issuer)
    .setAudience(jwtConfig.audience)
    .sign(new TextEncoder().encode(secret));
  return { headers: { Authorization: `Bearer ${signed}` } };
}

const withLink = z.object({ data: z.object({ link: z.url(), expires_at: z.iso.datetime() }) });

async function useLink(link: string): Promise<number> {
  const [, token] = link.split('#link=');
  const headers = { 'X-Outdial-Console': '1' };
  return (await client.send('POST /console/session', { json: { link: token }, headers })).status;
}

describe('an invitation', () => {
  test('signs the user in once; the log names its creator but not the link', async () => {
    const acme = await organization();
    const userId = await createUser(acme, 'viewer');
    const path = `POST /api/v1/users/${userId}/sign-in-link`;
    const before = Date.now();
    const made = withLink.parse((await client.send(path, { key: acme.keys.admin })).json).data;
    const goodForMinutes = (new Date(made.expires_at).getTime() - before) / 60_000;
    expect(Math.round(goodForMinutes)).toBe(1_440);
    expect(await useLink(made.link)).toBe(204);
    expect(await useLink(made.link)).toBe(401);
    const log = (await client.send('GET /api/v1/audit-log', { key: acme.keys.admin })).bytes.toString();
    expect(log).toContain('createSignInLink');
    expect(log).not.toContain(made.link.split('#link=')[1]);
  });

  test('is created by admins only, for at most a week, and does not sign in a disabled user', async () => {
    const acme = await organization();
    const userId = await createUser(acme);
    const path = `POST /api/v1/users/${userId}/sign-in-link`;
    expect((await client.send(path, { key: acme.keys.manager })).status).toBe(403);
    const long = { key: acme.keys.admin, json: { expires_in_minutes: 10_081 } };
    expect((await client.send(path, long)).status).toBe(422);
    const made = withLink.parse((await client.send(path, { key: acme.keys.admin })).json).data;
    expect((await put(acme, userId, { disabled: true })).status).toBe(200);
    expect(await useLink(made.link)).toBe(401);
  });
});

describe('users', () => {
  test('are created, listed and changed by admins', async () => {
    const acme = await organization();
    const body = { email: 'grace@example.com', first_name: 'Grace', last_name: 'Hopper', role: 'member' };
    const made = await client.send('POST /api/v1/users', { key: acme.keys.admin, json: body });
    expect(made.json).toMatchObject({
      data: { ...body, id: someText, disabled: false, disabled_at: null, tokens_not_before: null },
    });
    const again = await client.send('POST /api/v1/users', { key: acme.keys.admin, json: body });
    expect(again.status).toBe(409);
    expect(again.json).toMatchObject({ code: 'user_exists' });
    const id = idOf(made.json);
    expect((await put(acme, id, { role: 'manager', first_name: 'G.' })).json).toMatchObject({
      data: { id, role: 'manager', first_name: 'G.', last_name: 'Hopper' },
    });
    const listed = await client.send('GET /api/v1/users?limit=1', { key: acme.keys.admin });
    expect(listed.json).toMatchObject({ data: { items: [{ id }], next_cursor: someText } });
    expect((await client.send('GET /api/v1/users', { key: acme.keys.manager })).status).toBe(403);
  });

  test('the last admin cannot be disabled or demoted', async () => {
    const acme = await organization();
    for (const json of [{ disabled: true }, { role: 'manager' }]) {
      expect((await put(acme, acme.userId, json)).json).toMatchObject({ code: 'last_admin' });
    }
    const second = await createUser(acme, 'admin');
    await put(acme, second, { disabled: true });
    expect((await put(acme, acme.userId, { disabled: true })).status).toBe(409);
    await put(acme, second, { disabled: false });
    expect((await put(acme, acme.userId, { disabled: true })).status).toBe(200);
  });

  test('keys and tokens of a user who is disabled end within a second, and are good again once enabled', async () => {
    const acme = await organization();
    const userId = await createUser(acme);
    const { key } = await createKey(acme, { name: 'CRM', user_id: userId });
    const bearer = await token(acme, userId);
    expect([await statusOf({ key }), await statusOf(bearer)]).toEqual([200, 200]);
    await put(acme, userId, { disabled: true });
    aSecondLater();
    expect([await statusOf({ key }), await statusOf(bearer)]).toEqual([401, 401]);
    await put(acme, userId, { disabled: false });
    aSecondLater();
    expect([await statusOf({ key }), await statusOf(bearer)]).toEqual([200, 200]);
  });

  test('a lower role applies to keys and tokens within a second', async () => {
    const acme = await organization();
    const userId = await createUser(acme, 'manager');
    const { key } = await createKey(acme, { name: 'CRM', user_id: userId });
    const bearer = await token(acme, userId, { role: 'manager' });
    const write = async (credential: object) =>
      (await client.send('POST /api/v1/agents', { json: { name: 'Anna' }, ...credential })).status;
    expect([await write({ key }), await write(bearer)]).toEqual([200, 200]);
    await put(acme, userId, { role: 'viewer' });
    aSecondLater();
    expect([await write({ key }), await write(bearer)]).toEqual([403, 403]);
  });
});

describe('tokens', () => {
  test('those issued before they were revoked end within a second; later ones are good', async () => {
    const acme = await organization();
    const userId = await createUser(acme);
    const bearer = await token(acme, userId);
    expect(await statusOf(bearer)).toBe(200);
    expect((await put(acme, userId, { revoke_tokens: true })).json).toMatchObject({
      data: { tokens_not_before: someText },
    });
    aSecondLater();
    expect(await statusOf(bearer)).toBe(401);
    const soon = Math.floor(Date.now() / 1_000) + 2;
    expect(await statusOf(await token(acme, userId, { iat: soon }))).toBe(200);
    // A token without an issue date may be an old one.
    expect(await statusOf(await token(acme, userId, { iat: undefined }))).toBe(401);
  });

  test.each([
    ['an hour', { exp: 3_600 }, 200],
    ['longer than a token may live', { exp: 3_700 }, 401],
    ['for ever', { exp: 1e300 }, 401],
    ['an hour, issued in the future', { iat: 3_000, exp: 6_000 }, 401],
  ])('a token that is good for %s', async (_what, times, status) => {
    const acme = await organization();
    const now = Math.floor(Date.now() / 1_000);
    const claims = { exp: now + times.exp, ...('iat' in times ? { iat: now + times.iat } : {}) };
    expect(await statusOf(await token(acme, acme.userId, claims))).toBe(status);
  });

  test('the previous secret verifies as well, and no third', async () => {
    const acme = await organization();
    expect(await statusOf(await token(acme, acme.userId, {}, previousSecret))).toBe(200);
    expect(await statusOf(await token(acme, acme.userId, {}, 'a-secret-of-somebody-else-entirely'))).toBe(
      401,
    );
  });
});

describe('API keys', () => {
  test('a key is shown once, is good, and is gone once revoked', async () => {
    const acme = await organization();
    const { id, key } = await createKey(acme, {
      name: 'CRM',
      role: 'viewer',
      expires_at: '2099-01-01T00:00:00Z',
    });
    expect(await statusOf({ key })).toBe(200);
    const listed = await client.send('GET /api/v1/api-keys', { key: acme.keys.admin });
    expect(listed.bytes.toString()).not.toContain(key);
    expect(listed.json).toMatchObject({
      data: {
        items: [
          { id, name: 'CRM', role: 'viewer', user_id: acme.userId, prefix: key.slice(0, 9) },
          {},
          {},
          {},
          {},
        ],
      },
    });
    const revoked = await client.send(`DELETE /api/v1/api-keys/${id}`, { key: acme.keys.admin });
    expect(revoked.json).toMatchObject({ data: { id, revoked_at: someText } });
    aSecondLater();
    expect(await statusOf({ key })).toBe(401);
  });

  test('a repeated request makes no second key, and shows none', async () => {
    const acme = await organization();
    const send = () =>
      client.send('POST /api/v1/api-keys', {
        key: acme.keys.admin,
        json: { name: 'CRM' },
        headers: { 'Idempotency-Key': 'once' },
      });
    const first = withKey.parse((await send()).json).data;
    const again = await send();
    expect(again.json).toMatchObject({ data: { id: first.id, key: null } });
    const kept = await db.selectFrom('idempotency_keys').select('response').execute();
    expect(JSON.stringify(kept)).not.toContain(first.key);
  });

  test('is never above its user', async () => {
    const acme = await organization();
    const userId = await createUser(acme);
    const answer = await client.send('POST /api/v1/api-keys', {
      key: acme.keys.admin,
      json: { name: 'CRM', user_id: userId, role: 'admin' },
    });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ['body', 'role'] }] });
  });

  test('rotated: both are valid during the overlap, after which the old one ends', async () => {
    const acme = await organization();
    const before = await createKey(acme, { name: 'CRM', role: 'viewer' });
    const rotate = (json: object) =>
      client.send(`POST /api/v1/api-keys/${before.id}/rotate`, { key: acme.keys.admin, json });
    const answer = await rotate({ overlap_seconds: 3_600 });
    expect(answer.json).toMatchObject({
      meta: { previous: { id: before.id, expires_at: someText } },
      data: { name: 'CRM', role: 'viewer' },
    });
    const after = withKey.parse(answer.json).data;
    expect([await statusOf({ key: before.key }), await statusOf({ key: after.key })]).toEqual([200, 200]);
    await rotate({ overlap_seconds: 0 });
    aSecondLater();
    expect(await statusOf({ key: before.key })).toBe(401);
    expect(await statusOf({ key: after.key })).toBe(200);
    expect((await rotate({})).json).toMatchObject({ code: 'key_over' });
  });

  test('rotated again, as after a lost answer: the new key lasts as long as the key was to last', async () => {
    const acme = await organization();
    const rotate = async (id: string) => {
      const answer = await client.send(`POST /api/v1/api-keys/${id}/rotate`, {
        key: acme.keys.admin,
        json: {},
      });
      return withExpiry.parse(answer.json).data.expires_at;
    };
    const unlimited = await createKey(acme, { name: 'CRM' });
    expect([await rotate(unlimited.id), await rotate(unlimited.id)]).toEqual([null, null]);
    const limited = await createKey(acme, { name: 'CRM', expires_at: '2099-01-01T00:00:00Z' });
    for (const expiresAt of [await rotate(limited.id), await rotate(limited.id)]) {
      expect(Date.parse(String(expiresAt))).toBeGreaterThanOrEqual(Date.parse('2098-12-31T00:00:00Z'));
    }
  });
});
