import { createHash } from 'node:crypto';
import { findApiKey } from '@outdial/db';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { apiWorld, jwtConfig } from './api-world.ts';
import { someText } from './matchers.ts';

const { aSecondLater, client, db, organization } = await apiWorld();
const secret = new TextEncoder().encode(jwtConfig.secret);

interface TokenOptions {
  subject?: string;
  claims?: Record<string, unknown>;
  issuer?: string;
  audience?: string;
  expiresAt?: string | number;
  key?: Uint8Array;
}

async function token(organizationId: string, options: TokenOptions = {}): Promise<{ Authorization: string }> {
  const jwt = new SignJWT({ org: organizationId, role: 'manager', name: 'Grace Hopper', ...options.claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(options.subject ?? 'grace@example.com')
    .setIssuer(options.issuer ?? jwtConfig.issuer)
    .setAudience(options.audience ?? jwtConfig.audience)
    .setExpirationTime(options.expiresAt ?? '5 minutes');
  return { Authorization: `Bearer ${await jwt.sign(options.key ?? secret)}` };
}

describe('API keys', () => {
  test('a key is accepted, and its last use is recorded', async () => {
    const acme = await organization();
    const agentId = await acme.agent();
    const answer = await client.send(`GET /api/v1/agents/${agentId}`, { key: acme.keys.viewer });
    expect(answer.status).toBe(200);
    const hash = createHash('sha256').update(acme.keys.viewer).digest();
    expect((await findApiKey(db, hash))?.lastUsedAt).toBeInstanceOf(Date);
  });

  test.each([
    ['no credential', {}],
    ['an unknown key', { 'X-API-Key': `od_${'A'.repeat(43)}` }],
    ['a string that is not a key', { 'X-API-Key': "'; drop table users; --" }],
    ['an empty key', { 'X-API-Key': '' }],
    ['a broken token', { Authorization: 'Bearer abc.def.ghi' }],
    ['another scheme', { Authorization: 'Basic b3BzOm9wcw==' }],
  ])('%s is 401 with a challenge', async (_what, headers) => {
    const answer = await client.send('GET /api/v1/calls/1', { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="outdial"/);
    expect(answer.json).toEqual({ detail: someText, code: 'unauthorized' });
  });

  test('an expired key is 401, and its last use does not change', async () => {
    const acme = await organization();
    await db
      .updateTable('api_keys')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('organization_id', '=', acme.id)
      .execute();
    expect((await client.send('GET /api/v1/calls/1', { key: acme.keys.admin })).status).toBe(401);
    const keys = await db
      .selectFrom('api_keys')
      .select('last_used_at')
      .where('organization_id', '=', acme.id)
      .execute();
    expect(keys.every((key) => key.last_used_at === null)).toBe(true);
  });

  test('a bad key is not covered by a good token', async () => {
    const acme = await organization();
    const headers = { ...(await token(acme.id)), 'X-API-Key': 'od_nothing' };
    expect((await client.send('GET /api/v1/calls/1', { headers })).status).toBe(401);
  });
});

describe('tokens', () => {
  test('a token names its user, who is created once', async () => {
    const acme = await organization();
    const agentId = await acme.agent();
    const headers = await token(acme.id);
    const make = () =>
      client.send(`POST /api/v1/agents/${agentId}/call`, { headers, json: { to_phone: '+15551230000' } });
    const answers = await Promise.all([make(), make(), make()]);
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({
        data: { created_by: { first_name: 'Grace', last_name: 'Hopper' } },
      });
    }
    const users = await db
      .selectFrom('users')
      .selectAll()
      .where('organization_id', '=', acme.id)
      .where('email', '=', 'grace@example.com')
      .execute();
    expect(users).toHaveLength(1);
  });

  test('a user of the organization is found by id', async () => {
    const acme = await organization();
    const agentId = await acme.agent();
    const headers = await token(acme.id, { subject: acme.userId });
    const answer = await client.send(`POST /api/v1/agents/${agentId}/call`, {
      headers,
      json: { to_phone: '+15551230000' },
    });
    expect(answer.json).toMatchObject({ data: { created_by: { id: acme.userId } } });
  });

  test('the role is the token’s, though its user may do more', async () => {
    const acme = await organization();
    const headers = await token(acme.id, { subject: acme.userId, claims: { role: 'viewer' } });
    const answer = await client.send('POST /api/v1/agents', { headers, json: { name: 'Anna' } });
    expect(answer.status).toBe(403);
  });

  test('a user whom a token created has the role of the newest one, until an admin sets another', async () => {
    const acme = await organization();
    const as = async (role: string) => token(acme.id, { claims: { role } });
    const userOf = () =>
      db
        .selectFrom('users')
        .select(['id', 'role'])
        .where('organization_id', '=', acme.id)
        .where('email', '=', 'grace@example.com')
        .executeTakeFirstOrThrow();
    const read = async (role: string) => {
      const answer = await client.send('GET /api/v1/campaigns', { headers: await as(role) });
      expect(answer.status).toBe(200);
      return (await userOf()).role;
    };
    expect(await read('manager')).toBe('manager');
    const made = await client.send(`POST /api/v1/users/${acme.userId}/sign-in-link`, {
      headers: await as('admin'),
      json: {},
    });
    expect(made.json).toMatchObject({ data: { link: someText } });
    const { data } = made.json as { data: { link: string } };
    const signIn = () =>
      client.send('POST /console/session', {
        headers: { 'X-Outdial-Console': '1' },
        json: { link: data.link.split('#link=')[1] },
      });
    expect((await signIn()).status).toBe(204);

    const { id } = await userOf();
    const links = () => db.selectFrom('sign_in_links').select('user_id').where('user_id', '=', id).execute();
    await client.send(`POST /api/v1/users/${id}/sign-in-link`, { key: acme.keys.admin, json: {} });
    expect(await links()).toHaveLength(1);
    expect(await read('viewer')).toBe('viewer');
    expect(await links()).toEqual([]);

    await client.send(`PUT /api/v1/users/${id}`, { key: acme.keys.admin, json: { role: 'member' } });
    aSecondLater();
    expect(await read('manager')).toBe('member');
  });

  const wrong: Array<[string, TokenOptions]> = [
    ['another issuer', { issuer: 'somebody' }],
    ['another audience', { audience: 'somebody' }],
    ['an expired one', { expiresAt: Math.floor(Date.now() / 1000) - 60 }],
    ['another signature', { key: new TextEncoder().encode('another-secret-of-32-characters-or-more') }],
    ['a role that does not exist', { claims: { role: 'owner' } }],
    ['an organization that is not an id', { claims: { org: 'acme' } }],
    ['an unknown organization', { claims: { org: '00000000-0000-7000-8000-000000000000' } }],
  ];
  test.each(wrong)('%s is 401', async (_what, options) => {
    const acme = await organization();
    const answer = await client.send('GET /api/v1/calls/1', { headers: await token(acme.id, options) });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  test('an unsigned token is 401', async () => {
    const acme = await organization();
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${part({ alg: 'none' })}.${part({ org: acme.id, role: 'admin', sub: 'x', iss: jwtConfig.issuer, aud: jwtConfig.audience, exp: 4e9 })}.`;
    const answer = await client.send('GET /api/v1/calls/1', {
      headers: { Authorization: `Bearer ${unsigned}` },
    });
    expect(answer.status).toBe(401);
  });
});
