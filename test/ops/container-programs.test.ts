import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@outdial/local';
import { createMetrics, startHealthServer } from '@outdial/runtime';
import { describe, expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const program = (name: string) => fileURLToPath(new URL(`../../ops/container/${name}`, import.meta.url));

describe('the health check of a container', () => {
  async function check(ready: () => Promise<Readonly<Record<string, string>>>) {
    const server = await startHealthServer({
      port: 0,
      host: '127.0.0.1',
      ready,
      metrics: createMetrics({ service: 'worker' }).registry,
      ops: undefined,
      log: { warn: () => undefined },
    });
    onTestFinished(() => server.close());
    return healthOf(server.port);
  }

  test('succeeds if the process is ready', async () => {
    expect(await check(() => Promise.resolve({}))).toEqual({ status: 0, out: '{"status":"ready"}\n' });
  });

  test('fails if it is not, with the reason', async () => {
    const { status, out } = await check(() => Promise.resolve({ queue: 'cannot be reached' }));
    expect(status).toBe(1);
    expect(out).toContain('"queue":"cannot be reached"');
  });

  test('fails if nothing answers', async () => {
    const port = await freePort();
    expect(await healthOf(port)).toEqual({ status: 1, out: `no answer on port ${port}: ECONNREFUSED\n` });
  });

  async function healthOf(port: number): Promise<{ status: unknown; out: string }> {
    try {
      const { stdout } = await run(process.execPath, [program('health-check.mjs')], {
        env: { HEALTH_PORT: String(port) },
      });
      return { status: 0, out: stdout };
    } catch (error) {
      // execFile rejects with the exit status and what was printed.
      const { code, stdout } = error as { code: unknown; stdout: string };
      return { status: code, out: stdout };
    }
  }
});

describe('the passwords of an installation', () => {
  test('are created once and completely, the same for Redis and its clients', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'outdial-generated-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const generate = () =>
      run(process.execPath, [program('generate-secrets.mjs')], { env: { OUTDIAL_SECRETS_DIR: folder } });
    const texts = async () =>
      Object.fromEntries(
        await Promise.all(
          (await readdir(folder)).map(
            async (name) => [name, await readFile(join(folder, name), 'utf8')] as const,
          ),
        ),
      );

    await generate();
    const first = await texts();
    expect(Object.keys(first).toSorted()).toEqual(['postgres_password', 'redis.conf', 'redis_url']);
    expect(first['postgres_password']).toMatch(/^[\w-]{43}$/);
    const password = /^requirepass ([\w-]{43})\n$/.exec(first['redis.conf'] ?? '')?.[1];
    expect(first['redis_url']).toBe(`redis://:${String(password)}@redis:6379`);
    // Postgres, Redis and Outdial each read them as a different user.
    expect((await stat(join(folder, 'postgres_password'))).mode & 0o777).toBe(0o444);

    await generate();
    expect(await texts()).toEqual(first);
  });
});
