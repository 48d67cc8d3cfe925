import { createApiKey, createUser } from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';

const { aSecondLater, baseUrl, client, db, organization } = await apiWorld();
const withKey = z.object({ data: z.object({ id: z.string(), key: z.string() }) });
const own = { 'X-Outdial-Console': '1', 'Content-Type': 'application/json' };

async function signIn(key: string): Promise<string> {
  const answer = await send('POST', { headers: own, body: { api_key: key } });
  expect(answer.status).toBe(204);
  return cookieOf(answer);
}

function send(
  method: string,
  options: { headers?: Record<string, string>; body?: unknown; path?: string } = {},
): Promise<Response> {
  const { headers = {}, body, path = '/console/session' } = options;
  return fetch(`${baseUrl}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

function cookieOf(answer: Response): string {
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

async function statusOf(cookie: string, path = '/api/v1/campaigns'): Promise<number> {
  return (await send('GET', { headers: { cookie }, path })).status;
}

async function endedAfterASecond(cookie: string): Promise<void> {
  aSecondLater();
  expect(await statusOf(cookie)).toBe(401);
}

describe('a session of the console', () => {
  test('ends the earlier one of the same browser, and of no other', async () => {
    const [acme, other] = [await organization(), await organization()];
    const [earlier, elsewhere] = [await signIn(acme.keys.viewer), await signIn(acme.keys.viewer)];
    const answer = await send('POST', {
      headers: { ...own, cookie: earlier },
      body: { api_key: other.keys.viewer },
    });
    expect(answer.status).toBe(204);
    expect(await statusOf(cookieOf(answer))).toBe(200);
    await endedAfterASecond(earlier);
    expect(await statusOf(elsewhere)).toBe(200);
    // A refused sign-in ends nothing.
    const refused = await send('POST', {
      headers: { ...own, cookie: elsewhere },
      body: { api_key: 'od_no' },
    });
    expect(refused.status).toBe(401);
    aSecondLater();
    expect(await statusOf(elsewhere)).toBe(200);
  });

  test('has the role of its key, a cookie that scripts cannot read, and a line in the audit log', async () => {
    const { keys, userId } = await organization();
    const answer = await send('POST', { headers: own, body: { api_key: keys.viewer } });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^outdial_session=[\w-]{43}; Path=\/; Expires=.*; HttpOnly; SameSite=Strict$/),
    ]);
    const cookie = cookieOf(answer);
    const session = await (await send('GET', { headers: { cookie } })).json();
    expect(session).toMatchObject({
      data: { role: 'viewer', user: { id: userId, first_name: 'Ada' }, organization: { name: 'Acme' } },
      sign_in: { oidc: null },
    });
    expect(await statusOf(cookie)).toBe(200);
    expect(await statusOf(cookie, '/api/v1/users')).toBe(403);
    const log = await client.send('GET /api/v1/audit-log', { key: keys.admin });
    expect(log.json).toMatchObject({
      data: { items: [{ action: 'signIn', credential: { type: 'api_key' }, actor: { id: userId } }] },
    });
    const stored = await db.selectFrom('console_sessions').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(cookie.split('=')[1]);
  });

  test('a wrong key, a used link and a body that is neither are refused', async () => {
    for (const body of [{ api_key: 'od_not-a-key-of-anybody-at-all' }, { link: 'A'.repeat(43) }]) {
      expect((await send('POST', { headers: own, body })).status).toBe(401);
    }
    for (const body of [{}, { api_key: 1 }, { api_key: 'x', link: 'y' }]) {
      expect((await send('POST', { headers: own, body })).status).toBe(422);
    }
  });

  test.each([
    ['without its header', { 'Content-Type': 'application/json' }],
    ['of another site', { ...own, 'Sec-Fetch-Site': 'cross-site' }],
    ['of a sibling host', { ...own, 'Sec-Fetch-Site': 'same-site' }],
    ['of another origin', { ...own, Origin: 'https://evil.example' }],
    ['of no origin', { ...own, Origin: 'null' }],
  ])('a change %s does not count as the console', async (_, headers) => {
    const { keys } = await organization();
    const cookie = await signIn(keys.admin);
    const change = { headers: { ...headers, cookie }, body: { name: 'Taken' }, path: '/api/v1/organization' };
    expect((await send('PUT', change)).status).toBe(403);
    expect((await send('POST', { headers, body: { api_key: keys.admin } })).status).toBe(403);
    expect((await send('DELETE', { headers: { ...headers, cookie } })).status).toBe(403);
    const mine = { ...own, cookie, Origin: baseUrl, 'Sec-Fetch-Site': 'same-origin' };
    expect((await send('PUT', { ...change, headers: mine, body: { name: 'Mine' } })).status).toBe(200);
  });

  test('ends with sign-out', async () => {
    const { keys } = await organization();
    const cookie = await signIn(keys.admin);
    const other = await signIn(keys.admin);
    const answer = await send('DELETE', { headers: { ...own, cookie } });
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()[0]).toContain('Expires=Thu, 01 Jan 1970');
    await endedAfterASecond(cookie);
    expect(await statusOf(other)).toBe(200);
  });

  test.each([
    ['a lower role', { role: 'member' }],
    ['disabling', { disabled: true }],
    ['revoking tokens', { revoke_tokens: true }],
  ])('ends with %s of its user', async (_, change) => {
    const { id: organizationId, keys } = await organization();
    const names = { firstName: 'G', lastName: 'H', role: 'manager' } as const;
    const userId = await createUser(db, { organizationId, email: 'g@example.com', ...names });
    const { key } = await createApiKey(db, { organizationId, userId, name: 'g', role: 'manager' });
    const cookie = await signIn(key);
    expect(await statusOf(cookie)).toBe(200);
    const path = `PUT /api/v1/users/${userId}`;
    expect((await client.send(path, { key: keys.admin, json: change })).status).toBe(200);
    await endedAfterASecond(cookie);
  });

  test('ends with the key that it was signed in with', async () => {
    const { keys } = await organization();
    const made = await client.send('POST /api/v1/api-keys', { key: keys.admin, json: { name: 'short' } });
    const { data } = withKey.parse(made.json);
    const cookie = await signIn(data.key);
    await client.send(`DELETE /api/v1/api-keys/${data.id}`, { key: keys.admin });
    await endedAfterASecond(cookie);
    expect(await statusOf(await signIn(keys.admin))).toBe(200);
  });

  test('is idle for twelve hours at most, and never older than a week', async () => {
    const { keys } = await organization();
    for (const column of ['last_seen_at', 'expires_at'] as const) {
      const cookie = await signIn(keys.admin);
      await db
        .updateTable('console_sessions')
        .set({ [column]: new Date(Date.now() - (column === 'last_seen_at' ? 12 * 3_600_000 : 0)) })
        .execute();
      expect(await statusOf(cookie)).toBe(401);
    }
  });
});

describe('a link that signs in', () => {
  /** An admin with a key, besides Ada, who invites Ada. */
  async function maker() {
    const { keys, userId } = await organization();
    const as = (label: string, json: object, key = keys.admin) => client.send(label, { key, json });
    const json = { email: 'bob@example.com', first_name: 'Bob', last_name: 'Bell', role: 'admin' };
    const bob = await client.create('POST /api/v1/users', { key: keys.admin, json });
    const made = withKey.parse(
      (await as('POST /api/v1/api-keys', { name: 'bob', user_id: bob, role: 'admin' })).json,
    );
    const link = async (headers: Record<string, string> = { 'X-API-Key': made.data.key }) => {
      const path = `/api/v1/users/${userId}/sign-in-link`;
      const answer = await send('POST', { headers: { ...own, ...headers }, body: {}, path });
      const { data } = z.object({ data: z.object({ link: z.string() }) }).parse(await answer.json());
      return data.link.split('#link=')[1] ?? '';
    };
    return { as, link, bob, key: made.data };
  }

  const statusOfLink = async (link: string) => (await send('POST', { headers: own, body: { link } })).status;

  test('is not used up by a sign-in that fails', async () => {
    const { link } = await maker();
    const token = await link();
    await sql`alter table console_sessions add constraint refused check (false) not valid`.execute(db);
    expect(await statusOfLink(token)).toBe(500);
    await sql`alter table console_sessions drop constraint refused`.execute(db);
    expect(await statusOfLink(token)).toBe(204);
  });

  test.each([
    ['disabled', { disabled: true }],
    ['no longer an admin', { role: 'manager' }],
    ['left without valid tokens', { revoke_tokens: true }],
  ])('is permanently useless once its creator is %s', async (_, change) => {
    const { as, link, bob } = await maker();
    const token = await link();
    expect((await as(`PUT /api/v1/users/${bob}`, change)).status).toBe(200);
    expect((await as(`PUT /api/v1/users/${bob}`, { disabled: false, role: 'admin' })).status).toBe(200);
    expect(await statusOfLink(token)).toBe(401);
  });

  test('is useless to a user who created it just before being disabled', async () => {
    const { link, bob } = await maker();
    const token = await link();
    await db.updateTable('users').set({ disabled_at: new Date() }).where('id', '=', bob).execute();
    expect(await statusOfLink(token)).toBe(401);
  });

  test.each(['with the key', 'in the console, signed in with the key'])(
    'is useless once the key is revoked: made %s',
    async (how) => {
      const { as, link, key } = await maker();
      const token = how === 'with the key' ? await link() : await link({ cookie: await signIn(key.key) });
      const kept = await link();
      expect(await statusOfLink(kept)).toBe(204);
      expect((await as(`DELETE /api/v1/api-keys/${key.id}`, {})).status).toBe(200);
      expect(await statusOfLink(token)).toBe(401);
    },
  );

  test('is useless once the key has expired', async () => {
    const { link, key } = await maker();
    const token = await link();
    await db.updateTable('api_keys').set({ expires_at: new Date() }).where('id', '=', key.id).execute();
    expect(await statusOfLink(token)).toBe(401);
  });
});

describe('the console', () => {
  test('is one page for every path, with a policy that lets in nothing from elsewhere', async () => {
    const root = await send('GET', { path: '/' });
    expect(new URL(root.url).pathname).toBe('/console');
    const deep = await send('GET', { path: '/console/campaigns/some/where' });
    expect(await deep.text()).toBe(await root.text());
    const policy = deep.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toContain('http');
    expect((await send('GET', { path: '/console/assets/none.js' })).status).toBe(404);
  });

  test('contains the session as data that a name cannot break out of, and is not cached', async () => {
    const { id, keys } = await organization();
    const name = 'Acme </script><script>alert(1)</script><!--';
    await db.updateTable('organizations').set({ name }).where('id', '=', id).execute();
    const cookie = await signIn(keys.viewer);
    const answer = await send('GET', { path: '/console', headers: { cookie } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const page = await answer.text();
    const [, given = ''] = /<script type="application\/json" id="session">([^<]*)<\/script>/.exec(page) ?? [];
    expect(JSON.parse(given)).toEqual(await (await send('GET', { headers: { cookie } })).json());
    expect(JSON.parse(given)).toMatchObject({ data: { organization: { name } } });
    expect(page.match(/<script/g)).toHaveLength(2);
  });

  test.each([
    ['nobody', { cookie: '' }],
    ['a session that has ended', { cookie: `outdial_session=${'x'.repeat(43)}` }],
  ])('says nothing of %s', async (_, headers) => {
    const answer = await send('GET', { path: '/console', headers });
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(await answer.text()).not.toContain('id="session"');
  });

  test('tells the page of another site nothing, and lets it read nothing', async () => {
    const cookie = await signIn((await organization()).keys.viewer);
    const headers = { cookie, 'Sec-Fetch-Site': 'cross-site' };
    expect(await (await send('GET', { path: '/console', headers })).text()).not.toContain('id="session"');
    expect((await send('GET', { path: '/api/v1/campaigns', headers })).status).toBe(403);
  });

  test('takes less than 100 kB in all, compressed, and less than half of that before its first view', async () => {
    const page = await (await send('GET', { path: '/console' })).text();
    const sizes = new Map<string, number>();
    const scripts: string[] = [];
    const pathsIn = (text: string) =>
      [...text.matchAll(/"(?:\/console\/assets\/|\.\/)([\w.-]+\.(?:js|css|svg))"/g)].map(
        ([, file]) => file ?? '',
      );
    const fetchAll = async (files: readonly string[]): Promise<void> => {
      for (const file of files.filter((each) => !sizes.has(each))) {
        const path = `/console/assets/${file}`;
        const answer = await send('GET', { path, headers: { 'Accept-Encoding': 'gzip' } });
        expect(answer.headers.get('cache-control')).toContain('immutable');
        expect(answer.headers.get('content-encoding')).toBe('gzip');
        sizes.set(file, Number(answer.headers.get('content-length')));
        if (file.endsWith('.js')) scripts.push(await answer.text());
      }
    };
    const total = () => [...sizes.values()].reduce((sum, size) => sum + size, page.length);
    await fetchAll(pathsIn(page).filter((file) => !file.startsWith('worklet-')));
    const first = total();
    // The scripts that are loaded later, found by the names in the first ones.
    for (let seen = 0; seen < scripts.length; seen++) await fetchAll(pathsIn(scripts[seen] ?? ''));
    await fetchAll(pathsIn(page));
    expect(first).toBeGreaterThan(5_000);
    expect(first).toBeLessThan(50_000);
    expect(total()).toBeGreaterThan(first + 10_000);
    expect(total()).toBeLessThan(100_000);
  });
});
