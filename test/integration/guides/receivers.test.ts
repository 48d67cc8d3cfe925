import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '@outdial/local';
import { newSigningSecret, signedHeaders, signingKey } from '@outdial/webhooks';
import { expect, onTestFinished, test } from 'vitest';

interface Receiver {
  /** The language of a block in the webhooks page. */
  language: 'ts' | 'python';
  fileName: string;
  program: string;
  /** How each block listens, and its replacement, which listens on another port and prints a line. */
  listen: string;
  listenOn: (port: number) => string;
}

const receivers: readonly Receiver[] = [
  {
    language: 'ts',
    fileName: 'receiver.ts',
    program: process.execPath,
    listen: '.listen(8080)',
    listenOn: (port) => `.listen(${port}, () => console.log('ready'))`,
  },
  {
    language: 'python',
    fileName: 'receiver.py',
    program: 'python3',
    listen: 'HTTPServer(("", 8080), Receiver).serve_forever()',
    listenOn: (port) =>
      `server = HTTPServer(("127.0.0.1", ${port}), Receiver)\nprint("ready", flush=True)\nserver.serve_forever()`,
  },
];
const runnable = receivers.filter(({ program }) => spawnSync(program, ['--version']).status === 0);

/** The receiver in the webhooks page, as a reader copies it, with another port. */
async function receiverOfPage({ language, listen, listenOn }: Receiver, port: number): Promise<string> {
  const page = await readFile(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
  const block = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';
  expect(block).toContain(listen);
  return block.replace(listen, () => listenOn(port));
}

test.each(runnable)(
  'the receiver in $language only accepts recent events signed with its secret',
  async (receiver) => {
    const directory = await mkdtemp(join(tmpdir(), 'outdial-receiver-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    // The packages that the page tells readers to install.
    await symlink(
      fileURLToPath(new URL('../../node_modules', import.meta.url)),
      join(directory, 'node_modules'),
    );
    await writeFile(join(directory, 'package.json'), '{"type": "module"}');
    const port = await freePort();
    await writeFile(join(directory, receiver.fileName), await receiverOfPage(receiver, port));
    const secret = newSigningSecret();
    const child = spawn(receiver.program, [receiver.fileName], {
      cwd: directory,
      env: { PATH: process.env['PATH'], OUTDIAL_WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill());
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const nextLine = async () => String((await lines.next()).value);
    expect(await nextLine()).toBe('ready');

    const body = JSON.stringify({ type: 'call.ended', data: { call_id: 'c1', outcome: 'completed' } });
    const send = (signedWith: string, at = new Date()) =>
      fetch(`http://127.0.0.1:${port}/outdial`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...signedHeaders([signingKey(signedWith)], { messageId: 'e1', body, at }),
        },
        body,
      });
    expect((await send(newSigningSecret())).ok).toBe(false);
    expect((await send(secret, new Date(Date.now() - 600_000))).ok).toBe(false);
    expect((await send(secret)).status).toBe(204);
    expect(await nextLine()).toBe('call.ended c1 completed');
  },
);
