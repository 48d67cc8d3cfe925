import { updateOrganization } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { apiWorld, asOperator, basic, opsCredential } from './api-world.ts';

const { client, db, logLines, organization } = await apiWorld({
  limits: { credentialPerMinute: 20, organizationPerMinute: 30 },
});

describe('rates', () => {
  test('are in every answer, and beyond them the answer is 429', async () => {
    const acme = await organization();
    const read = (key: string) => client.send('GET /api/v1/knowledge-base', { key });
    const first = await read(acme.keys.viewer);
    expect(first.headers.get('ratelimit-policy')).toBe('"credential";q=20;w=60, "organization";q=30;w=60');
    expect(first.headers.get('ratelimit')).toBe('"credential";r=19;t=60, "organization";r=29;t=60');
    const statuses = [];
    for (let at = 0; at < 24; at++) statuses.push((await read(acme.keys.viewer)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(19);
    const refused = await read(acme.keys.viewer);
    expect([refused.status, refused.json]).toMatchObject([429, { code: 'too_many_requests' }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // Refused requests count too, so another credential gets the remaining four of the organization.
    const others = [];
    for (let at = 0; at < 6; at++) others.push((await read(acme.keys.member)).status);
    expect(others.filter((status) => status === 200)).toHaveLength(4);
    expect((await read((await organization()).keys.viewer)).status).toBe(200);
  });

  test('an organization may have its own limit', async () => {
    const acme = await organization();
    await updateOrganization(db, acme.id, { requests_per_minute: 2 }, new Date());
    const statuses = [];
    for (let at = 0; at < 3; at++) {
      statuses.push((await client.send('GET /api/v1/knowledge-base', { key: acme.keys.viewer })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });
});

describe('/ops/queues', () => {
  const post = (headers: Record<string, string>) =>
    client.send('PUT /ops/queues/api/queues/advance-campaign/pause', {
      headers: { ...asOperator, ...headers },
    });

  test.each([
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://evil.example.com' },
    { Origin: 'null' },
  ])('a foreign page with %j is 403', async (headers) => {
    const answer = await post(headers);
    expect([answer.status, answer.json]).toMatchObject([403, { code: 'foreign_origin' }]);
  });

  test('its own page changes nothing unless the operator enabled it', async () => {
    expect((await post({ 'Sec-Fetch-Site': 'same-origin' })).status).toBe(405);
    const read = await client.send('GET /ops/queues', { headers: asOperator });
    expect(read.status).toBe(200);
  });
});

test('a client that guesses the password of operators is slowed down from its eleventh guess, which is logged', async () => {
  const guess = async (password: string) =>
    (await client.send('GET /metrics', { headers: basic('ops', password) })).status;
  const slowed = () => logLines.filter((line) => line.includes('keeps sending invalid credentials')).length;
  for (let at = 0; at < 10; at++) expect(await guess(`wrong ${at}`)).toBe(401);
  expect(slowed()).toBe(0);
  expect(await guess('wrong again')).toBe(401);
  expect(slowed()).toBe(1);
  expect(await guess(opsCredential.password)).toBe(200);
});
