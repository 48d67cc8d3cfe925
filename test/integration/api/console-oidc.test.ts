import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createUser } from '@outdial/db';
import { Provider } from 'oidc-provider';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';

interface Identity {
  email: string;
  /** Undefined where the provider does not say so. */
  isVerified: boolean | string | undefined;
  /** When the provider's tokens begin to be valid, by its clock: in seconds from now. */
  validInSeconds: number;
}

/** The identity at the provider, as the test sets it. */
const person: Identity = { email: 'ada@example.com', isVerified: true, validInSeconds: 0 };

let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end();
const providerServer = createServer((request, response) => answer(request, response));
await new Promise<void>((resolve) => providerServer.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${(providerServer.address() as AddressInfo).port}`;

const { aSecondLater, baseUrl, client, db, logLines, organization } = await apiWorld({
  config: {
    oidc: {
      issuer: new URL(issuer),
      clientId: 'outdial',
      clientSecret: 'a-secret-of-the-client',
      name: 'Acme ID',
      organizationId: null,
      trustedFor: { issuer: new URL(issuer), domains: ['trusted.example.com', 'trusted.example.org'] },
    },
  },
});

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'outdial',
      client_secret: 'a-secret-of-the-client',
      redirect_uris: [`${baseUrl}/console/session/oidc/callback`],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  claims: { openid: ['sub', 'nbf'], email: ['email', 'email_verified'] },
  // Cognito and Entra put the claims of scopes into the token too.
  conformIdTokenClaims: false,
  cookies: { keys: ['of the tests'] },
  features: { devInteractions: { enabled: false } },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      nbf: Math.floor(Date.now() / 1_000) + person.validInSeconds,
      email: person.email,
      email_verified: person.isVerified,
    }),
  }),
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  pkce: { required: () => true },
});
const serve = provider.callback();
answer = (request, response) => {
  if (request.url?.startsWith('/interaction/') !== true) {
    void serve(request, response);
    return;
  }
  void consent(request, response);
};

/** The provider's login page, without a password: logs in the identity that the test has set, which agrees. */
async function consent(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const grant = new provider.Grant({ accountId: person.email, clientId: 'outdial' });
  grant.addOIDCScope('openid email profile');
  const result = { login: { accountId: person.email }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

afterAll(() => {
  providerServer.closeAllConnections();
  providerServer.close();
});

/** A browser: it follows redirects and keeps cookies. Returns the final address. */
class Browser {
  readonly cookies = new Map<string, string>();

  async open(address: string): Promise<URL> {
    let url = new URL(address, baseUrl);
    for (let hops = 0; hops < 12; hops++) {
      const response = await this.get(url);
      const location = response.headers.get('location');
      if (location === null) return url;
      url = new URL(location, url);
    }
    throw new Error(`it never ends: ${url.href}`);
  }

  /** As browsers do, keeps the session's cookie to itself if the provider's site sent it here. */
  async get(url: URL): Promise<Response> {
    const isFromElsewhere = url.pathname.endsWith('/callback');
    const sent = [...this.cookies].filter(([name]) => !isFromElsewhere || name !== 'outdial_session');
    const cookie = sent.map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (/expires=Thu, 01 Jan 1970/i.test(text)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }
}

const start = '/console/session/oidc';

const pathOf = (url: URL) => `${url.pathname}${url.search}`;

/** Signs in with this address, and returns the final page. */
async function signIn(
  email: string,
  {
    query = '',
    browser = new Browser(),
    ...identity
  }: Partial<Omit<Identity, 'email'>> & { query?: string; browser?: Browser } = {},
): Promise<{ browser: Browser; path: string }> {
  Object.assign(person, { email, isVerified: true, validInSeconds: 0 }, identity);
  return { browser, path: pathOf(await browser.open(`${start}${query}`)) };
}

const choice = z.object({
  data: z.object({ token: z.string(), items: z.array(z.object({ id: z.string(), name: z.string() })) }),
});

/** The choices on the sign-in page of this browser. */
async function offeredTo(browser: Browser): Promise<{ token: string; organizations: string[] }> {
  const listed = await (await browser.get(new URL(`${start}/organizations`, baseUrl))).json();
  const { token, items } = choice.parse(listed).data;
  return { token, organizations: items.map(({ id }) => id) };
}

/** Makes a choice on the sign-in page. */
async function choose(browser: Browser, organizationId: string): Promise<string> {
  const { token } = await offeredTo(browser);
  return pathOf(await browser.open(`${start}?organization=${organizationId}&token=${token}`));
}

async function signedInAs(browser: Browser): Promise<unknown> {
  return (await browser.get(new URL('/console/session', baseUrl))).json();
}

const addUser = (
  { id: organizationId }: { id: string },
  email: string,
  role: 'viewer' | 'manager' | 'admin' = 'viewer',
) => createUser(db, { organizationId, email, firstName: 'Ada', lastName: 'L', role });

describe('sign-in with an OpenID provider', () => {
  test('signs in the user of the address that the provider vouches for, with the role of the user', async () => {
    const acme = await organization();
    const email = 'grace@oidc.example.com';
    const userId = await addUser(acme, email, 'manager');
    const { browser, path } = await signIn('Grace@OIDC.example.com');
    expect(path).toBe('/console');
    expect([...browser.cookies.keys()].filter((name) => name.startsWith('outdial'))).toEqual([
      'outdial_session',
    ]);
    const session = await (await browser.get(new URL('/console/session', baseUrl))).json();
    expect(session).toMatchObject({
      data: { role: 'manager', user: { id: userId, email } },
      sign_in: { oidc: { name: 'Acme ID' } },
    });
    const log = await client.send('GET /api/v1/audit-log', { key: acme.keys.admin });
    expect(log.json).toMatchObject({ data: { items: [{ action: 'signIn', credential: { type: 'oidc' } }] } });
  });

  test('ends the earlier session of the browser', async () => {
    const email = 'twice@oidc.example.com';
    await addUser(await organization(), email);
    const { browser } = await signIn(email);
    const earlier = new Browser();
    for (const [name, value] of browser.cookies) earlier.cookies.set(name, value);
    expect((await signIn(email, { browser })).path).toBe('/console');
    aSecondLater();
    expect(await signedInAs(browser)).toMatchObject({ data: { user: { email } } });
    expect(await signedInAs(earlier)).toMatchObject({ data: null });
  });

  test('creates no user, and refuses addresses that are not verified or not unique', async () => {
    const [one, other] = [await organization(), await organization()];
    for (const of of [one, other]) await addUser(of, 'two@example.com');
    const id = await addUser(one, 'gone@example.com', 'admin');
    await db.updateTable('users').set({ disabled_at: new Date() }).where('id', '=', id).execute();
    expect((await signIn('stranger@example.com')).path).toBe('/console/sign-in?refused=no_user');
    expect((await signIn('gone@example.com')).path).toBe('/console/sign-in?refused=no_user');
    expect((await signIn('two@example.com')).path).toBe('/console/sign-in?refused=several_users');
    const { path, browser } = await signIn('two@example.com', { isVerified: false });
    expect(path).toBe('/console/sign-in?refused=not_verified');
    expect(browser.cookies.has('outdial_session')).toBe(false);
  });

  test.each([
    { provider: 'Cognito or Apple, "true"', isVerified: 'true', domain: 'example.com', path: '/console' },
    { provider: 'Cognito, "false"', isVerified: 'false', domain: 'trusted.example.com', path: null },
    { provider: 'an untrue claim', isVerified: false, domain: 'trusted.example.com', path: null },
    { provider: 'another word', isVerified: 'yes', domain: 'trusted.example.com', path: null },
    { provider: 'Entra, nothing', isVerified: undefined, domain: 'Trusted.Example.org', path: '/console' },
    { provider: 'Entra, another domain', isVerified: undefined, domain: 'example.com', path: null },
    { provider: 'a subdomain', isVerified: undefined, domain: 'a.trusted.example.com', path: null },
    { provider: 'a longer domain', isVerified: undefined, domain: 'not-trusted.example.com', path: null },
  ])('a claim of $provider for $domain', async ({ isVerified, domain, path }) => {
    const email = `claim@${domain}`.toLowerCase();
    await addUser(await organization(), email);
    const signedIn = await signIn(`claim@${domain}`, { isVerified });
    expect(signedIn.path).toBe(path ?? '/console/sign-in?refused=not_verified');
    expect(signedIn.browser.cookies.has('outdial_session')).toBe(path !== null);
    await db.deleteFrom('users').where('email', '=', email).execute();
  });

  test('a clock that is behind the one of the provider is told, to the person and with its distance in the log', async () => {
    const email = 'late@example.com';
    await addUser(await organization(), email);
    const early = await signIn(email, { validInSeconds: 90 });
    expect(early.path).toBe('/console/sign-in?refused=clock');
    const line = logLines.find((one) => one.includes('the clock of this machine'));
    expect(line).toMatch(
      /not valid yet \(nbf\): the clock of this machine is at least (?:[6-8]\d|90) s behind/,
    );
    expect(line).not.toContain(email);
    expect((await signIn(email, { validInSeconds: 20 })).path).toBe('/console');
  });

  test('an organization that adds the address of a user of another locks no one out: the person chooses', async () => {
    const [acme, evil] = [await organization(), await organization()];
    const email = 'ada@acme.example.com';
    const own = await addUser(acme, email, 'admin');
    await addUser(evil, email);
    const { browser } = await signIn(email);
    expect((await offeredTo(browser)).organizations).toEqual([acme.id, evil.id]);
    expect(await choose(browser, acme.id)).toBe('/console');
    expect(await signedInAs(browser)).toMatchObject({
      data: { user: { id: own }, organization: { id: acme.id } },
    });
    const changed = await signIn(email);
    person.email = 'grace@elsewhere.example.com';
    expect(await choose(changed.browser, acme.id)).toBe('/console/sign-in?refused=no_user');
  });

  test('an organization with ten spellings of the address of a user of another is offered once', async () => {
    const [evil, acme] = [await organization(), await organization()];
    const email = 'adalovelacebyron@acme.example.com';
    for (let at = 0; at < 10; at++) {
      const spelling = email.slice(0, at) + email.charAt(at).toUpperCase() + email.slice(at + 1);
      await addUser(evil, spelling);
    }
    await addUser(acme, email, 'admin');
    const { browser } = await signIn(email);
    expect((await offeredTo(browser)).organizations).toEqual([evil.id, acme.id]);
  });

  test('of two users of one organization whose addresses differ in case, the exact one signs in', async () => {
    const acme = await organization();
    await addUser(acme, 'Case@example.com');
    const email = 'case@example.com';
    const exact = await addUser(acme, email);
    const { browser, path } = await signIn(email);
    expect(path).toBe('/console');
    expect(await signedInAs(browser)).toMatchObject({ data: { user: { id: exact } } });
  });

  test('a link from another page cannot choose an organization: the person is asked', async () => {
    const [acme, evil] = [await organization(), await organization()];
    const email = 'linked@acme.example.com';
    for (const of of [acme, evil]) await addUser(of, email, 'admin');
    const several = '/console/sign-in?refused=several_users';
    const { browser, path } = await signIn(email, { query: `?organization=${evil.id}` });
    expect(path).toBe(several);
    // A choice is pending, but the request lacks its token, or has the token of another browser.
    const stranger = await signIn(email);
    const { token } = await offeredTo(stranger.browser);
    for (const query of ['', `&token=`, `&token=${token}`]) {
      const linked = await signIn(email, { query: `?organization=${evil.id}${query}`, browser });
      expect(linked.path).toBe(several);
    }
    expect(browser.cookies.has('outdial_session')).toBe(false);
  });

  test('accepts an answer only from the browser that asked, and only once', async () => {
    const begun = new Browser();
    const away = await begun.get(new URL(start, baseUrl));
    const state = new URL(away.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const callback = `${start}/callback?code=stolen&iss=${encodeURIComponent(issuer)}`;
    for (const [browser, query] of [
      [new Browser(), `&state=${state}`],
      [begun, '&state=another'],
      [begun, `&state=${state}`],
    ] as const) {
      const url = await browser.open(`${callback}${query}`);
      expect(`${url.pathname}${url.search}`).toBe('/console/sign-in?refused=other');
      expect(browser.cookies.has('outdial_session')).toBe(false);
    }
  });
});

test('a client that sends invented codes is slowed down, which is logged', async () => {
  const guess = async () => {
    const browser = new Browser();
    const begun = await browser.get(new URL(start, baseUrl));
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const callback = new URL(`${start}/callback`, baseUrl);
    callback.search = String(new URLSearchParams({ code: 'guessed', state, iss: issuer }));
    const refused = await browser.get(callback);
    expect(refused.headers.get('location')).toBe('/console/sign-in?refused=other');
  };
  await Promise.all(Array.from({ length: 22 }, guess));
  expect(logLines.some((line) => line.includes('keeps sending invalid credentials'))).toBe(true);
});
