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

describe('text that Postgres cannot store', () => {
  const campaign = JSON.stringify({ name: 'x', agent_id: 'none', status: 'paused' });
  const scrubbed = { name: 'registry', source: 'x', complete: 'true', scrubbed_at: new Date().toISOString() };

  test.each<[string, Record<string, string>, Array<string | number>]>([
    ['campaigns', { campaign: campaign.replace('x', String.raw`\u0000`) }, ['body', 'campaign', 'name']],
    ['campaigns', { campaign: campaign.replace('x', String.raw`\ud800`) }, ['body', 'campaign', 'name']],
    ['campaigns', { campaign, mapping: String.raw`{"a": "prompt_params.\u0000"}` }, ['body', 'mapping', 'a']],
    ['scrub-lists', { ...scrubbed, source: '\u0000' }, ['body', 'source']],
    ['scrub-lists', { ...scrubbed, account: '\u0000' }, ['body', 'account']],
  ])('is refused in a form for %s: %j', async (path, parts, loc) => {
    const body = new FormData();
    for (const [name, text] of Object.entries({ ...parts })) body.set(name, text);
    body.set('file', new Blob(['phone\n+15551230000\n']), 'list.csv');
    const answer = await client.send(`POST /api/v1/${path}/import`, { key: acme.keys.admin, body });
    expect(answer.json).toMatchObject({ detail: [{ loc, type: 'string_unicode' }] });
  });
});

test.each(['campaign', 'mapping'])('JSON in the part %s of a form may not be nested deeply', async (part) => {
  const body = new FormData();
  body.set('campaign', '{}');
  body.set(part, '['.repeat(20_000) + ']'.repeat(20_000));
  body.set('file', new Blob(['phone\n+15551230000\n']), 'list.csv');
  const answer = await client.send('POST /api/v1/campaigns/import', { key: acme.keys.admin, body });
  expect(answer.json).toMatchObject({ detail: [{ loc: ['body', part], type: 'value_error' }] });
});

/** In UTC these are the years 0 and 10000, which Postgres does not read as they are written. */
const unreadable = ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-12:00'];
const phone = '+15551230000';

test.each(
  unreadable.flatMap((at) => [
    ['POST /api/v1/suppressions', { phone_number: phone, expires_at: at }] as const,
    ['POST /api/v1/consents', { phone_number: phone, basis: 'inquiry', source: 'x', given_at: at }] as const,
  ]),
)('%s of an instant that cannot be stored is 422: %j', async (label, json) => {
  const answer = await client.send(label, { key: acme.keys.admin, json });
  expect(answer.json).toMatchObject({ detail: [{ type: 'datetime_parsing' }] });
});

test.each(
  unreadable.flatMap((at) => {
    const query = { phone_number: phone, queried_at: '2026-01-01T00:00:00Z', answer: 'yes', source: 'x' };
    return [
      ['number-queries', { ...query, queried_at: at }] as const,
      ['number-queries', { ...query, since: at }] as const,
      ['number-changes', { phone_number: phone, kind: 'ported', source: 'x', changed_at: at }] as const,
    ];
  }),
)('an import to %s refuses the row with such an instant: %j', async (path, item) => {
  const answer = await client.send(`POST /api/v1/${path}/import`, {
    key: acme.keys.admin,
    json: { items: [item] },
  });
  expect(answer.json).toMatchObject({ data: { added: 0, refused: [{ line: 1 }] } });
});

test.each(['DELETE /api/v1/suppressions/a%00b', 'GET /api/v1/people/a%00b/export'])(
  '%s names nothing: 422',
  async (label) => {
    const answer = await client.send(label, { key: acme.keys.admin });
    expect(answer.json).toMatchObject({ detail: [{ type: 'string_unicode' }] });
  },
);
