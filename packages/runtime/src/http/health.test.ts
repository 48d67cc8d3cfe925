import { afterEach, describe, expect, test } from 'vitest';
import { type HealthServer, startHealthServer } from './health.ts';
import { createMetrics } from '../metrics.ts';

let server: HealthServer | undefined;
afterEach(() => server?.close());

async function setup({
  ready = (): Promise<Record<string, string>> => Promise.resolve({}),
  withOps = true,
} = {}) {
  const metrics = createMetrics({ service: 'worker' });
  metrics.jobFinished('place-call', 'completed', 12);
  const ops = withOps ? { user: 'ops', password: 'pass:word' } : undefined;
  const warned: unknown[] = [];
  const log = { warn: (fields: unknown) => void warned.push(fields) };
  server = await startHealthServer({
    port: 0,
    host: '127.0.0.1',
    ready,
    metrics: metrics.registry,
    ops,
    log,
  });
  const { port } = server;
  const get = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  return Object.assign(get, { warned });
}

const basic = (credentials: string) => ({
  headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
});

describe('the health server', () => {
  test('always reports liveness, and readiness as the process does', async () => {
    const get = await setup({ ready: () => Promise.resolve({ queue: 'cannot be reached' }) });
    expect((await get('/healthz')).status).toBe(200);
    const readyz = await get('/readyz');
    expect(readyz.status).toBe(503);
    expect(await readyz.json()).toEqual({ status: 'not ready', reasons: { queue: 'cannot be reached' } });
  });

  test('is not ready if a check fails with an error, and does not reveal the error', async () => {
    const get = await setup({ ready: () => Promise.reject(new Error('password of the database')) });
    const readyz = await get('/readyz');
    expect(readyz.status).toBe(503);
    expect(await readyz.json()).toEqual({ status: 'not ready', reasons: { process: 'cannot tell' } });
  });

  test('answers ready when it is', async () => {
    const get = await setup();
    expect((await get('/readyz')).status).toBe(200);
    expect((await get('/')).status).toBe(404);
    expect((await get('/healthz', { method: 'POST' })).status).toBe(405);
  });

  test('shows metrics to operators only', async () => {
    const get = await setup();
    expect((await get('/metrics')).status).toBe(401);
    expect((await get('/metrics', basic('ops:wrong'))).status).toBe(401);
    expect((await get('/metrics', basic('ops'))).status).toBe(401);
    const answer = await get('/metrics', basic('ops:pass:word'));
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain(
      'outdial_jobs_total{queue="place-call",result="completed",service="worker"} 1',
    );
  });

  test('slows down guesses of the password, and logs them once', async () => {
    const get = await setup();
    const guess = async () => (await get('/metrics', basic('ops:guess'))).status;
    for (let at = 0; at < 10; at++) expect(await guess()).toBe(401);
    // Each further guess waits for a second, but only a hundred may wait. On a busy machine, not all come within that second.
    const statuses = await Promise.all(Array.from({ length: 300 }, guess));
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(get.warned).toEqual([{ address: '127.0.0.1', failures: 11 }]);
    expect((await get('/metrics', basic('ops:pass:word'))).status).toBe(200);
    expect((await get('/metrics')).status).toBe(401);
  });

  test('has no metrics without a configured operator', async () => {
    const get = await setup({ withOps: false });
    expect((await get('/metrics', basic('ops:pass:word'))).status).toBe(404);
  });
});
