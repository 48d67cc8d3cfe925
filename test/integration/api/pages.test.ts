import { randomUUID } from 'node:crypto';
import { forgetWorker, saveWorkerHeartbeat } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld, asOperator, basic } from './api-world.ts';

const { client, db, organization } = await apiWorld();
const operator = { headers: asOperator };

describe('pages of operators', () => {
  test.each(['/metrics', '/ops/queues', '/ops/queues/api/queues'])(
    '%s wants its own credential',
    async (path) => {
      for (const headers of [{}, basic('ops', 'wrong'), basic('', ''), basic('ops-password', 'ops')]) {
        const answer = await client.send(`GET ${path}`, { headers });
        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).toMatch(/^Basic/);
      }
      expect((await client.send(`GET ${path}`, operator)).status).toBe(200);
    },
  );

  test('/metrics times requests by route, never by path', async () => {
    await client.send('GET /api/v1/calls/some-id');
    const text = (await client.send('GET /metrics', operator)).bytes.toString();
    expect(text).toMatch(
      /outdial_http_request_duration_seconds_count\{[^}]*route="\/api\/v1\/calls\/\{call_id\}"/,
    );
    expect(text).not.toContain('some-id');
  });

  test('/ops/queues shows every queue, and the workers that take its jobs', async () => {
    const queuesSeen = async () =>
      z
        .object({ queues: z.array(z.object({ name: z.string(), hasWorkers: z.boolean() })) })
        .parse((await client.send('GET /ops/queues/api/queues', operator)).json).queues;
    expect(await queuesSeen()).toContainEqual({ name: 'place-call', hasWorkers: false });
    const workerId = randomUUID();
    await saveWorkerHeartbeat(db, workerId);
    expect(await queuesSeen()).toContainEqual({ name: 'place-call', hasWorkers: true });
    await forgetWorker(db, workerId);
  });

  test('/ops/queues refuses bodies that it cannot read, as the caller’s fault', async () => {
    const headers = { ...asOperator, 'Content-Type': 'application/json' };
    const send = (body: string, more = {}) =>
      client.send('POST /ops/queues/api/queues/place-call/clean/active', {
        headers: { ...headers, ...more },
        body,
      });
    expect((await send(JSON.stringify({ a: 'x'.repeat(200_000) }))).status).toBe(413);
    expect((await send('{"a":')).status).toBe(400);
    expect((await send('{}', { 'Content-Encoding': 'lzma' })).status).toBe(415);
  });

  test('/ops/queues has its own title, and loads nothing from other hosts', async () => {
    const page = await client.send('GET /ops/queues', operator);
    const html = page.bytes.toString();
    expect(html).toContain('<title>Outdial queues</title>');
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    const allowed = page.headers.get('content-security-policy') ?? '';
    expect(allowed).toContain("default-src 'self'");
    expect(allowed).not.toMatch(/https?:/);
  });

  test('a job links to its campaign, as operators may see it', async () => {
    const acme = await organization();
    const json = {
      name: 'Reminders',
      agent_id: await acme.agent(),
      phone_numbers: ['+4930123456'],
      start_date: '2020-01-01',
      status: 'paused',
    };
    const campaignId = await client.create('POST /api/v1/campaigns', { key: acme.keys.admin, json });
    await client.send(`PUT /api/v1/campaigns/${campaignId}/status`, {
      key: acme.keys.admin,
      json: { status: 'canceled' },
    });
    const board = await client.send('GET /ops/queues/api/queues?activeQueue=withdraw-recipients', operator);
    expect(JSON.stringify(board.json)).toContain(`"/ops/campaigns/${campaignId}"`);
    expect((await client.send(`GET /ops/campaigns/${campaignId}`)).status).toBe(401);
    const shown = await client.send(`GET /ops/campaigns/${campaignId}`, operator);
    expect(shown.json).toMatchObject({ id: campaignId, name: 'Reminders', organization_id: acme.id });
    expect((await client.send(`GET /ops/campaigns/${randomUUID()}`, operator)).status).toBe(404);
  });
});

describe('/docs', () => {
  test('the page and all it loads come from here', async () => {
    const page = (await client.send('GET /docs')).bytes.toString();
    const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(loaded.length).toBeGreaterThan(2);
    for (const address of loaded) {
      expect(address).not.toMatch(/^(https?:)?\/\//);
      expect((await client.send(`GET /${address}`)).status).toBe(200);
    }
    expect((await client.send('GET /docs/')).headers.get('location')).toBe('../docs');
    expect((await client.send('GET /docs/package.json')).status).toBe(404);
  });

  test.each(['/openapi.json', '/docs', '/docs/swagger-ui-bundle.js', '/console'])(
    '%s is compressed once, and has a validator',
    async (path) => {
      const plain = await client.send(`GET ${path}`, { headers: { 'Accept-Encoding': 'identity' } });
      const etag = plain.headers.get('etag') ?? '';
      expect(etag).toMatch(/^W\/".{20,}"$/);
      for (const encoding of ['br', 'gzip']) {
        const answer = await client.send(`GET ${path}`, { headers: { 'Accept-Encoding': encoding } });
        expect(answer.headers.get('content-encoding')).toBe(encoding);
        expect(answer.headers.get('etag')).toBe(etag);
        expect(answer.bytes.equals(plain.bytes)).toBe(true);
      }
      const known = await client.send(`GET ${path}`, { headers: { 'If-None-Match': etag } });
      expect([known.status, known.bytes.length]).toEqual([304, 0]);
    },
  );
});
