import { expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';

const { client, db, logLines, organization } = await apiWorld();
const acme = await organization();

test.each([
  ["filename*=UTF-8''a%00b.txt", 'ab.txt'],
  ["filename*=UTF-8''%00", 'unnamed'],
  [`filename="${'😀'.repeat(200)}.txt"`, undefined],
])('a file with %s is taken', async (disposition, name) => {
  const base = await client.create('POST /api/v1/knowledge-base', {
    key: acme.keys.member,
    json: { name: 'x' },
  });
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
  const id = await client.create(`POST /api/v1/agents/${await acme.agent()}/call`, {
    key: acme.keys.member,
    json: { to_phone: '+15551230000' },
  });
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

const scrubbed = { name: 'registry', source: 'x', complete: 'true', scrubbed_at: new Date().toISOString() };

test.each<[string, Record<string, string>, string[], string]>([
  ['campaigns', { campaign: String.raw`{"name": "\u0000"}` }, ['campaign', 'name'], 'string_unicode'],
  [
    'campaigns',
    { campaign: '{}', mapping: '['.repeat(20_000) + ']'.repeat(20_000) },
    ['mapping'],
    'value_error',
  ],
  ['scrub-lists', { ...scrubbed, source: '\u0000' }, ['source'], 'string_unicode'],
])('fields of a form for %s are checked like JSON: %#', async (path, parts, field, type) => {
  const body = new FormData();
  for (const [name, text] of Object.entries(parts)) body.set(name, text);
  body.set('file', new Blob(['phone\n+15551230000\n']), 'list.csv');
  const answer = await client.send(`POST /api/v1/${path}/import`, { key: acme.keys.admin, body });
  expect(answer.json).toMatchObject({ detail: [{ loc: ['body', ...field], type }] });
});

/** In UTC these are the years 0 and 10000, which Postgres does not read as they are written. */
const [early, late] = ['0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-12:00'];
const phone_number = '+15551230000';

test.each([
  ['suppressions', { phone_number, expires_at: '0000-01-01T00:00:00Z' }],
  ['suppressions', { phone_number, expires_at: early }],
  ['suppressions', { phone_number, expires_at: late }],
  ['consents', { phone_number, basis: 'inquiry', source: 'x', given_at: early }],
])('an instant that cannot be stored is refused: %s %j', async (path, json) => {
  const answer = await client.send(`POST /api/v1/${path}`, { key: acme.keys.admin, json });
  expect(answer.json).toMatchObject({ detail: [{ type: 'datetime_parsing' }] });
});

const query = { phone_number, queried_at: '2026-01-01T00:00:00Z', answer: 'yes', source: 'x' };

test.each([
  ['number-queries', { ...query, queried_at: early }],
  ['number-queries', { ...query, since: early }],
  ['number-changes', { phone_number, kind: 'ported', source: 'x', changed_at: early }],
])('an import refuses the row with such an instant: %s %j', async (path, item) => {
  const json = { items: [item] };
  const answer = await client.send(`POST /api/v1/${path}/import`, { key: acme.keys.admin, json });
  expect(answer.json).toMatchObject({ data: { added: 0, refused: [{ line: 1 }] } });
});
