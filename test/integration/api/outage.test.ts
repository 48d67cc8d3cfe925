import { createApp, startServer } from '@outdial/api';
import { connect, createPostgresFileStore } from '@outdial/db';
import { openPublisher, openQueues } from '@outdial/queues';
import { createLogger, createMetrics, systemClock } from '@outdial/runtime';
import { afterAll, expect, test } from 'vitest';
import { asOperator, testConfig } from './api-world.ts';
import { ContractClient } from './contract-client.ts';

// Nothing listens on port 1.
const databaseUrl = 'postgres://nobody@127.0.0.1:1/nothing';
const log = createLogger({ service: 'api', level: 'silent' });
const db = connect({ databaseUrl });
const publisher = openPublisher({ kind: 'postgres', url: databaseUrl }, { log });
const queues = openQueues({ kind: 'postgres', url: databaseUrl }, { log });
const app = createApp({
  db,
  publisher,
  queues,
  files: createPostgresFileStore(db),
  clock: systemClock,
  log,
  metrics: createMetrics({ service: 'api' }),
  config: testConfig,
  providers: new Map(),
});
const server = await startServer(app, { port: 0, host: '127.0.0.1' });
afterAll(async () => {
  await server.close({ drainMs: 100 });
  await queues.close();
  await publisher.close();
  await db.destroy();
});
const client = await ContractClient.open(`http://127.0.0.1:${server.port}`);

test('without the database an operation is 503, and says nothing of the inside', async () => {
  const answer = await client.send('GET /api/v1/calls/1', { key: `od_${'A'.repeat(43)}` });
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(answer.json).toEqual({ detail: 'The service is temporarily unavailable', code: 'unavailable' });
});

test('the process is alive and not ready', async () => {
  expect((await client.send('GET /healthz')).status).toBe(200);
  const ready = await client.send('GET /readyz');
  expect(ready.status).toBe(503);
  expect(ready.json).toEqual({
    status: 'not ready',
    reasons: { database: 'cannot be reached', queue: 'cannot be reached' },
  });
});

test("the board of the queues is also 503, and does not show the database's error", async () => {
  const answer = await client.send('GET /ops/queues/api/queues', { headers: asOperator });
  expect(answer.status).toBe(503);
  expect(answer.json).toEqual({ detail: 'The service is temporarily unavailable', code: 'unavailable' });
});
