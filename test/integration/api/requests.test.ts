import { randomUUID } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { apiWorld } from './api-world.ts';
import type { ApiRequest } from './contract-client.ts';

const { client, logLines, organization } = await apiWorld();
const json = { 'Content-Type': 'application/json' };
const acme = await organization();
const makeCall = `POST /api/v1/agents/${await acme.agent()}/call`;
const valid = { to_phone: '+15551230000' };

describe('bodies', () => {
  test.each<[string, ApiRequest, number, string]>([
    ['broken JSON', { headers: json, body: '{"to_phone": ' }, 400, 'malformed_json'],
    [
      'a name twice',
      { headers: json, body: '{"to_phone":"+15551230000","to_phone":"+15551230001"}' },
      400,
      'repeated_json_name',
    ],
    [
      'a name twice in an object in a list',
      { headers: json, body: '{"to_phone":"+15551230000","meta":{"a":[1,{"b":1,"\\u0062":2}]}}' },
      400,
      'repeated_json_name',
    ],
    [
      'bytes that are not UTF-8',
      { headers: json, body: new Uint8Array([0x22, 0xff, 0x22]) },
      400,
      'malformed_json',
    ],
    [
      'a form',
      { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'to_phone=1' },
      415,
      'unsupported_media_type',
    ],
    ['text', { headers: { 'Content-Type': 'text/plain' }, body: '{}' }, 415, 'unsupported_media_type'],
    [
      'JSON in another charset',
      { headers: { 'Content-Type': 'application/json; charset=latin1' }, body: '{}' },
      415,
      'unsupported_media_type',
    ],
    [
      'an unknown encoding',
      { headers: { ...json, 'Content-Encoding': 'zstandard' }, body: '{}' },
      415,
      'unsupported_media_type',
    ],
    ...['gzip', 'deflate', 'br', 'zstd'].map(
      (encoding) =>
        [
          `a body labelled ${encoding} that is not`,
          { headers: { ...json, 'Content-Encoding': encoding }, body: '{}' },
          400,
          'malformed_body',
        ] satisfies [string, ApiRequest, number, string],
    ),
    ['more than 64 KiB', { headers: json, body: `"${'x'.repeat(64 * 1024)}"` }, 413, 'payload_too_large'],
    [
      'more values than a request may have',
      { headers: json, body: `{"meta":{"a":[${'[],'.repeat(15_000)}[]]}}` },
      413,
      'payload_too_large',
    ],
  ])('%s is %i', async (_what, request, status, code) => {
    const answer = await client.send(makeCall, { key: acme.keys.member, ...request });
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ code });
  });

  test.each([
    ['9007199254740993', ['body', 'meta', 'order']],
    ['[1, 3.141592653589793238]', ['body', 'meta', 'order', 1]],
    ['1e400', ['body', 'meta', 'order']],
  ])('a number that would be rounded, %s, is refused by its place', async (number, loc) => {
    const body = `{"to_phone":"+15551230000","meta":{"order":${number}}}`;
    const answer = await client.send(makeCall, { key: acme.keys.member, headers: json, body });
    expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ loc, type: 'value_error' }] }]);
  });

  test('a small body that unpacks to more than the limit is 413', async () => {
    const answer = await client.send(makeCall, {
      key: acme.keys.member,
      headers: { ...json, 'Content-Encoding': 'gzip' },
      body: new Uint8Array(gzipSync(JSON.stringify('x'.repeat(20 * 1024 * 1024)))),
    });
    expect(answer.status).toBe(413);
  });

  test('a client that sends far too much can still read the answer', async () => {
    const body = `"${'x'.repeat(16 * 1024 * 1024)}"`;
    const tooLarge = await client.send(makeCall, { key: acme.keys.member, headers: json, body });
    expect(tooLarge.status).toBe(413);
    expect((await client.send(makeCall, { headers: json, body })).status).toBe(401);
    expect((await client.send(makeCall, { key: acme.keys.member, json: valid })).status).toBe(200);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('%s and a charset in capitals are understood', async (encoding, compress) => {
    const answer = await client.send(makeCall, {
      key: acme.keys.member,
      headers: { 'Content-Type': 'Application/JSON; charset=UTF-8', 'Content-Encoding': encoding },
      body: new Uint8Array(compress(JSON.stringify(valid))),
    });
    expect(answer.status).toBe(200);
  });

  test('a list of people may be as long as the settings say, and no body may shrink to a hundredth', async () => {
    const agent_id = await acme.agent();
    const create = (phone_numbers: unknown, name: string) =>
      client.send('POST /api/v1/campaigns', {
        key: acme.keys.member,
        headers: { ...json, 'Content-Encoding': 'gzip' },
        body: new Uint8Array(gzipSync(JSON.stringify({ name, agent_id, phone_numbers }))),
      });
    const many = Array.from({ length: 10_000 }, (_, index) => `+1555${String(1_000_000 + index)}`);
    expect((await create(many, 'many')).status).toBe(200);
    const bomb = await create(['+15551230000'], ' '.repeat(500_000));
    expect(bomb.json).toEqual({
      detail: 'The body decompresses to more than 100 times its size',
      code: 'payload_too_large',
    });
  });
});

describe('the order of errors', () => {
  test('the role is checked before any of the body is read', async () => {
    const key = acme.keys.viewer;
    for (const body of ['{', 'x'.repeat(100_000), '{}']) {
      expect((await client.send(makeCall, { key, headers: json, body })).status).toBe(403);
    }
  });

  test('a broken body comes before the role that only this body needs, and that before wrong values', async () => {
    const key = acme.keys.member;
    const create = (request: ApiRequest) => client.send('POST /api/v1/campaigns', { key, ...request });
    expect((await create({ headers: json, body: '{"status": "running"' })).status).toBe(400);
    expect((await create({ json: { status: 'running' } })).status).toBe(403);
    expect((await create({ json: { status: 'paused' } })).status).toBe(422);
  });

  test('wrong values come before an unknown id', async () => {
    const path = `POST /api/v1/agents/${randomUUID()}/call`;
    expect((await client.send(path, { key: acme.keys.member, json: {} })).status).toBe(422);
    expect((await client.send(path, { key: acme.keys.member, json: valid })).status).toBe(404);
  });
});

describe('paths and methods', () => {
  test('an unknown path is 404 in the same format', async () => {
    for (const path of ['/nothing', '/api', '/API/v1/calls/1', '/api/v1/calls/1/recording/2']) {
      const answer = await client.send(`GET ${path}`);
      expect(answer.status).toBe(404);
      expect(answer.json).toMatchObject({ code: 'not_found' });
    }
  });

  test('another method is 405 and names the allowed ones', async () => {
    const answer = await client.send('DELETE /api/v1/calls/1/recording');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(answer.json).toMatchObject({ code: 'method_not_allowed' });
    const options = await client.send('OPTIONS /api/v1/calls/1/recording');
    expect(options.status).toBe(204);
    expect(options.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  test('a path that is not well encoded is 400', async () => {
    const answer = await client.send('GET /api/v1/calls/%ZZ', { key: acme.keys.viewer });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ code: 'malformed_path' });
  });

  test('HEAD answers as GET does, without a body', async () => {
    const answer = await client.send(`HEAD ${makeCall.split(' ')[1]?.replace('/call', '')}`, {
      key: acme.keys.viewer,
    });
    expect(answer.status).toBe(200);
    expect(answer.bytes).toHaveLength(0);
  });
});

describe('answers that were read before', () => {
  const campaign = async () => {
    const numbers = { phone_numbers: ['+15551230001'], status: 'paused' };
    const json = { name: 'Spring', agent_id: await acme.agent(), ...numbers };
    return client.create('POST /api/v1/campaigns', { key: acme.keys.manager, json });
  };

  test('are 304 until they change', async () => {
    const id = await campaign();
    const read = (tag?: string) =>
      client.send(`GET /api/v1/campaigns/${id}`, {
        key: acme.keys.viewer,
        headers: tag === undefined ? {} : { 'If-None-Match': tag },
      });
    const tag = (await read()).headers.get('etag') ?? '';
    const again = await read(`"other", ${tag}`);
    expect([again.status, again.bytes.length, again.headers.get('etag')]).toEqual([304, 0, tag]);
    await client.send(`PUT /api/v1/campaigns/${id}`, { key: acme.keys.manager, json: { name: 'Summer' } });
    expect((await read(tag)).status).toBe(200);
  });

  test.each([
    ['?fields=summary', 200],
    ['/{id}?fields=summary', 200],
    ['/{id}/progress', 200],
    ['/{id}/refusals', 304],
  ])(
    'are 304 though the instant of the read is another: %s, and %d after a change of the list',
    async (path, after) => {
      const id = await campaign();
      const at = `/api/v1/campaigns${path.replace('{id}', id)}`;
      const read = (tag = '"other"') =>
        client.send(`GET ${at}`, { key: acme.keys.viewer, headers: { 'If-None-Match': tag } });
      const first = await read();
      expect(first.bytes.toString()).toContain('"as_of":');
      const tag = first.headers.get('etag') ?? '';
      expect((await read(tag)).status).toBe(304);
      const changed = await client.send(`POST /api/v1/campaigns/${id}/recipients`, {
        key: acme.keys.manager,
        json: { phone_number: '+15551230002' },
      });
      expect(changed.status).toBe(200);
      expect((await read(tag)).status).toBe(after);
    },
  );

  test('are compressed on request if that helps', async () => {
    const agentId = await acme.agent({ prompt: 'Say hello. '.repeat(200) });
    const read = (encoding: string) =>
      client.send(`GET /api/v1/agents/${agentId}`, {
        key: acme.keys.viewer,
        headers: { 'Accept-Encoding': encoding },
      });
    const plain = await read('identity');
    expect(plain.headers.get('content-encoding')).toBeNull();
    for (const encoding of ['gzip', 'br']) {
      const packed = await read(encoding);
      expect(packed.headers.get('content-encoding')).toBe(encoding);
      expect(packed.json).toEqual(plain.json);
    }
    const small = await client.send('GET /api/v1/knowledge-base', {
      key: acme.keys.viewer,
      headers: { 'Accept-Encoding': 'gzip' },
    });
    expect(small.headers.get('content-encoding')).toBeNull();
  });
});

describe('headers', () => {
  test('an answer beyond ASCII is whole, and says its length in bytes', async () => {
    const meta = { greeting: 'Grüße 📞' };
    const { headers, bytes, json } = await client.send(makeCall, {
      key: acme.keys.member,
      headers: { 'Accept-Encoding': 'identity' },
      json: { ...valid, meta },
    });
    expect(json).toMatchObject({ data: { meta } });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('content-length')).toBe(String(bytes.length));
  });

  test('security headers are on every answer, and the framework is not named', async () => {
    const { headers } = await client.send('GET /api/v1/calls/1');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(headers.get('x-powered-by')).toBeNull();
  });

  test('a valid request id is used, and otherwise one is created', async () => {
    const own = await client.send('GET /healthz', { headers: { 'X-Request-Id': 'abc-1.2:3' } });
    expect(own.headers.get('x-request-id')).toBe('abc-1.2:3');
    const bad = await client.send('GET /healthz', { headers: { 'X-Request-Id': 'a b"c' } });
    expect(bad.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('browsers may call from the origins that are named, and from no other', async () => {
    const preflight = (origin: string) =>
      client.send('OPTIONS /api/v1/campaigns', {
        headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
      });
    const allowed = await preflight('https://app.example.com');
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    const sent = allowed.headers.get('access-control-allow-headers')?.split(',');
    const described = Object.values(client.document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ parameters = [] }) => parameters.filter((one) => one.in === 'header'));
    expect(sent).toEqual(expect.arrayContaining(described.map(({ name }) => name)));
    expect(
      (await preflight('https://evil.example.com')).headers.get('access-control-allow-origin'),
    ).toBeNull();
  });
});

describe('the log', () => {
  test('logs the caller and the operation, but neither credentials nor numbers', async () => {
    const id = randomUUID();
    const answer = await client.send(`${makeCall}?to=%2B15557654321`, {
      key: acme.keys.member,
      headers: { 'X-Request-Id': id },
      json: { to_phone: '+15557654321' },
    });
    expect(answer.status).toBe(422);
    const lines = logLines.filter((line) => line.includes(id));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({
      request_id: id,
      organization_id: acme.id,
      req: { method: 'POST', path: makeCall.split(' ')[1] },
      res: { status: 422 },
    });
    expect(logLines.join()).not.toContain('5557654321');
    expect(logLines.join()).not.toContain(acme.keys.member);
  });

  test.each([
    ['GET', '/api/v1/people/%2B15557650001/consents', 404, '/api/v1/people/{phone_number}/consents'],
    ['GET', '/api/v1/people/15557650002/consents', 404, '/api/v1/people/{phone_number}/consents'],
    ['GET', '/api/v1/people/%31%355576500%303/export', 404, '/api/v1/people/{phone_number}/export'],
    ['DELETE', '/api/v1/suppressions/15557650004', 404, '/api/v1/suppressions/{phone_number}'],
    ['GET', '/api/v1/peple/15557650005/consents', 404, '/api/v1/peple/{number}/consents'],
    ['GET', '/api/v1/peple/%252B15557650006', 404, '/api/v1/peple/{number}'],
    ['PATCH', '/api/v1/suppressions/15557650007', 405, '/api/v1/suppressions/{number}'],
  ])('%s %s leaves no number in it', async (method, path, status, logged) => {
    const id = randomUUID();
    const answer = await client.send(`${method} ${path}`, {
      key: acme.keys.admin,
      headers: { 'X-Request-Id': id },
    });
    const lines = logLines.filter((line) => line.includes(id));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ req: { method, path: logged } });
    expect(lines[0]).not.toMatch(/555765|%31/);
    expect(answer.status).toBe(status);
  });

  test('names the resource in other paths, even if its id begins with digits', async () => {
    const path = '/api/v1/campaigns/12345678-1234-4123-8123-123456789012';
    await client.send(`GET ${path}`, { key: acme.keys.viewer });
    expect(logLines.some((line) => line.includes(`"path":"${path}"`))).toBe(true);
  });
});
