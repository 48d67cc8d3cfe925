import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const fixture = fileURLToPath(new URL('../lifecycle.fixture.ts', import.meta.url));

/** Runs a process that writes one span and is then told to stop. */
async function runTraced(env: Record<string, string>) {
  const child = spawn(process.execPath, [fixture, 'trace'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { DATABASE_URL: 'postgres://u@db/x', ...env },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (!output.includes('"ready"') && (output + text).includes('"ready"')) child.kill('SIGTERM');
    output += text;
  });
  await once(child, 'close');
  return { code: child.exitCode, output };
}

async function startReceiver() {
  const requests: Array<{ path: string; type: string; key: string; body: string }> = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      // Without an encoding a request gives buffers.
      for await (const chunk of request) chunks.push(chunk as Buffer);
      requests.push({
        path: request.url ?? '',
        type: request.headers['content-type'] ?? '',
        key: String(request.headers['api-key']),
        body: Buffer.concat(chunks).toString('latin1'),
      });
      response.writeHead(200).end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, requests };
}

test('spans reach the receiver before the process ends, with numbers and passwords masked', async () => {
  const { endpoint, requests } = await startReceiver();
  const { code } = await runTraced({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=k1',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=blue',
  });
  expect(code).toBe(0);
  expect(requests).toMatchObject([{ path: '/v1/traces', type: 'application/x-protobuf', key: 'k1' }]);
  const { body = '' } = requests[0] ?? {};
  for (const part of ['outdial-fixture', 'blue', 'no answer from +15*******01', 'postgres://u:***@db/x']) {
    expect(body).toContain(part);
  }
  expect(body).not.toContain('hush');
  expect(body).not.toMatch(/1555123/);
});

test.each([
  ['without a receiver', {}],
  ['where it is turned off', { OTEL_SDK_DISABLED: 'true' }],
  ['where the sampler keeps none', { OTEL_TRACES_SAMPLER: 'always_off' }],
])('nothing is traced %s', async (_case, env: Record<string, string>) => {
  const { endpoint, requests } = await startReceiver();
  const given = Object.keys(env).length === 0 ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
  const { code, output } = await runTraced({ ...given, ...env });
  expect(code).toBe(0);
  expect(output).toContain('"kept":false');
  expect(requests).toEqual([]);
});

test('an unreachable receiver does not prevent an exit, and is logged once', async () => {
  const { code, output } = await runTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  expect(code).toBe(0);
  expect(output.match(/traces could not be sent/g) ?? []).toHaveLength(1);
});
