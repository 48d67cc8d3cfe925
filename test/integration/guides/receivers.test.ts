import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { newSigningSecret, signedHeaders } from '@outdial/webhooks';
import { expect, onTestFinished, test } from 'vitest';

/** The receiver of the page about webhooks, as a reader copies it, but for its port. */
async function receiverOfPage(): Promise<string> {
  const page = await readFile(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
  const block = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  expect(block).toContain('.listen(8080)');
  return block;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on TCP.
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

test('the receiver in TypeScript takes what is signed with its secret, and nothing else', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'outdial-receiver-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  // The packages that the page tells the reader to install.
  await symlink(
    fileURLToPath(new URL('../../node_modules', import.meta.url)),
    join(directory, 'node_modules'),
  );
  await writeFile(join(directory, 'package.json'), '{"type": "module"}');
  const port = await freePort();
  const source = (await receiverOfPage()).replace(
    '.listen(8080)',
    `.listen(${port}, () => console.log('ready'))`,
  );
  await writeFile(join(directory, 'receiver.ts'), source);
  const secret = newSigningSecret();
  const child = spawn(process.execPath, ['receiver.ts'], {
    cwd: directory,
    env: { PATH: process.env['PATH'], OUTDIAL_WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  expect(await nextLine()).toBe('ready');

  const body = JSON.stringify({ type: 'call.ended', data: { call_id: 'c1', outcome: 'completed' } });
  const send = (signedWith: string) =>
    fetch(`http://127.0.0.1:${port}/outdial`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...signedHeaders([signedWith], { messageId: 'e1', body, at: new Date() }),
      },
      body,
    });
  expect((await send(newSigningSecret())).ok).toBe(false);
  expect((await send(secret)).status).toBe(204);
  expect(await nextLine()).toBe('call.ended c1 completed');
});
