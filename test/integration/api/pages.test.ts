import { describe, expect, test } from 'vitest';
import { apiWorld, OPS } from './api-world.ts';

const { client, db } = await apiWorld();
const basic = (user: string, password: string) => ({
  headers: { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
});
const operator = basic(OPS.user, OPS.password);

describe('health', () => {
  test('/healthz and /readyz', async () => {
    expect((await client.send('GET /healthz')).json).toEqual({ status: 'ok' });
    const ready = await client.send('GET /readyz');
    expect(ready.json).toEqual({ status: 'ready' });
  });

  test('/readyz says which migration is missing', async () => {
    const newest = await db
      // Kysely's own table, which the schema does not name.
      .withTables<{ kysely_migration: { name: string; timestamp: string } }>()
      .deleteFrom('kysely_migration')
      .where('name', '=', (query) =>
        query.selectFrom('kysely_migration').select((select) => select.fn.max('name').as('name')),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    const answer = await client.send('GET /readyz');
    expect(answer.status).toBe(503);
    expect(answer.json).toEqual({
      status: 'not ready',
      reasons: { database: `migrations have not run: ${newest.name}` },
    });
    await db
      .withTables<{ kysely_migration: { name: string; timestamp: string } }>()
      .insertInto('kysely_migration')
      .values(newest)
      .execute();
    expect((await client.send('GET /readyz')).status).toBe(200);
  });
});

describe('pages of operators', () => {
  test.each(['/metrics', '/ops/queues', '/ops/queues/api/queues'])(
    '%s wants its own credential',
    async (path) => {
      for (const request of [{}, basic('ops', 'wrong'), basic('', ''), basic('ops-password', 'ops')]) {
        const answer = await client.send(`GET ${path}`, request);
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

  test('/ops/queues shows every queue', async () => {
    const answer = await client.send('GET /ops/queues/api/queues', operator);
    expect(JSON.stringify(answer.json)).toContain('"place-call"');
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
  });
});
