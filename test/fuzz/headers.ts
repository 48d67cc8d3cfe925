import { createHmac, randomUUID } from 'node:crypto';
import type { Random } from '../chaos/random.ts';
import { hostileText, hostileValue } from './hostile-values.ts';
import { jsonText, Raw } from './json-text.ts';

export type Header = readonly [name: string, value: string];

/** Headers that the service or its libraries read, with values that once caused trouble. */
const values: Readonly<Record<string, readonly [string, ...string[]]>> = {
  'Content-Type': [
    'application/json; charset=utf-16',
    'application/json; charset="utf-8"',
    'application/json;;;',
    'application/vnd.api+json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${'b'.repeat(500)}`,
    'application/json, application/json',
    '/',
  ],
  Range: [
    'bytes=0-',
    'bytes=-1',
    'bytes=0-0',
    'bytes=9999999999999999999-',
    'bytes=5-1',
    'bytes=0-0,1-1,2-2',
    'bytes=-0',
    'items=0-1',
    'bytes=abc',
    'bytes=-99999999999999999999999',
  ],
  'If-Range': ['"x"', 'Mon, 01 Jan 2024 00:00:00 GMT', 'W/"y"'],
  Accept: [
    '*/*',
    'text/csv;q=0.1',
    'application/json;q=x',
    '/',
    'text/event-stream',
    `${'a/b,'.repeat(900)}*/*`,
  ],
  'Accept-Encoding': [
    'gzip',
    'br',
    'zstd',
    'deflate',
    'gzip;q=0',
    'identity;q=0, *;q=0',
    '*',
    ',,,',
    'gzip;q=9e9',
  ],
  'If-None-Match': ['*', '"x"', 'W/"x"', '"', '"a", "b"', '""', `${'"a",'.repeat(3_000)}"b"`],
  'If-Match': ['*', '"x"'],
  'If-Modified-Since': ['Mon, 01 Jan 2024 00:00:00 GMT', 'never', '99999999999999999999'],
  'Last-Event-ID': [
    '0',
    '1',
    '-1',
    '9223372036854775807',
    '9223372036854775808',
    '1e400',
    'x',
    ' ',
    '1'.repeat(400),
  ],
  'Idempotency-Key': ['a', '', ' ', 'k'.repeat(255), 'k'.repeat(300), 'ä', '__proto__'],
  'X-Request-Id': ['a', 'x'.repeat(500), '../..', '{"a":1}'],
  Host: ['', 'evil.example', 'a b', '[::1', 'x:99999', '127.0.0.1:1, evil.example', '<script>'],
  'X-Forwarded-Host': ['evil.example'],
  'X-Forwarded-Proto': ['javascript', 'https, http'],
  'X-Forwarded-For': ['127.0.0.1', '::1', 'x'],
  Forwarded: ['for=127.0.0.1;host=evil.example'],
  Origin: ['null', 'https://app.example.com', 'https://evil.example', '*'],
  'Sec-Fetch-Site': ['cross-site', 'same-origin', 'none', 'x'],
  'Access-Control-Request-Method': ['DELETE', 'x', ''],
  'Access-Control-Request-Headers': ['x-api-key', '*', ','.repeat(2_000)],
  'X-HTTP-Method-Override': ['DELETE'],
  Expect: ['100-continue', '200-ok'],
  Connection: ['keep-alive, x-api-key', 'Upgrade', 'close, te'],
  Upgrade: ['websocket', 'h2c'],
  Cookie: ['a=b', '__proto__=1', ';'.repeat(1_000)],
  TE: ['trailers'],
  Trailer: ['X-API-Key'],
  'webhook-id': ['msg_1', '', 'x'.repeat(1_000)],
  'webhook-timestamp': ['0', '1e400', 'NaN', '99999999999999999999', '-1'],
  'webhook-signature': ['v1,', 'v1,AAAA', 'v2,x', ' '.repeat(500), 'v1,!!!! v1,????'],
  'X-Twilio-Signature': ['AAAA', '', '\u00ff'],
};
const names = Object.keys(values);

export function oddHeaders(random: Random): Header[] {
  const headers: Header[] = [];
  while (random.chance(0.35)) {
    const [first = 'Host', ...others] = names;
    const name = random.pick([first, ...others]);
    headers.push([
      name,
      random.chance(0.15) ? headerText(hostileText(random)) : random.pick(values[name] ?? ['x']),
    ]);
  }
  return headers;
}

/** Text as header bytes, short enough for the server to accept. Line breaks are removed, because they would only start another header. */
export function headerText(text: string): string {
  return Buffer.from(text.replaceAll(/[\r\n\0]/g, ''), 'utf8')
    .toString('latin1')
    .slice(0, 4_000);
}

export interface Signing {
  secret: string;
  issuer: string;
  audience: string;
}

/** A token with a valid signature and hostile claims. */
export function hostileToken(random: Random, signing: Signing, organizationId: string): string {
  const now = Math.floor(Date.now() / 1_000);
  const good: Record<string, unknown> = {
    iss: signing.issuer,
    aud: signing.audience,
    sub: `person-${random.between(1, 50)}@example.com`,
    org: organizationId,
    role: 'admin',
    iat: now,
    exp: now + 600,
  };
  for (const claim of [...Object.keys(good), 'nbf', 'name', 'jti']) {
    if (!random.chance(0.15)) continue;
    good[claim] = random.chance(0.5)
      ? random.pick([new Raw('1e300'), new Raw('5e-324'), new Raw('-1'), randomUUID(), hostileText(random)])
      : hostileValue(random);
  }
  const payload = jsonText(good).slice(0, 5_000);
  const header = random.chance(0.9)
    ? '{"alg":"HS256","typ":"JWT"}'
    : random.pick([
        '{"alg":"none"}',
        '{"alg":"RS256"}',
        '{"alg":"HS256","crit":["x"],"x":1}',
        '{}',
        'x',
        '{"alg":"HS256","zip":"DEF"}',
      ]);
  const signed = `${base64url(header)}.${base64url(payload)}`;
  return `${signed}.${createHmac('sha256', signing.secret).update(signed).digest('base64url')}`;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
