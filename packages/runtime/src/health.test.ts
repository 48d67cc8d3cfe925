import { afterEach, describe, expect, test } from 'vitest';
import { type HealthServer, startHealthServer } from './health.ts';
import { createMetrics } from './metrics.ts';

let server: HealthServer | undefined;
afterEach(() => server?.close());

async function setup({
  ready = (): Promise<Record<string, string>> => Promise.resolve({}),
  withOps = true,
} = {}) {
  const metrics = createMetrics({ service: 'worker' });
  metrics.jobFinished('place-call', 'completed', 12);
  const ops = withOps ? { user: 'ops', password: 'pass:word' } : undefined;
  server = await startHealthServer({ port: 0, ready, metrics: metrics.registry, ops });
  const { port } = server;
  return (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
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

  test('has no metrics without a configured operator', async () => {
    const get = await setup({ withOps: false });
    expect((await get('/metrics', basic('ops:pass:word'))).status).toBe(404);
  });
});
