import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { prepareQueueBackend } from '@outdial/queues';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { childEnvironment } from '../../support/child-environment.ts';
import { useTestDatabase } from '../../support/database.ts';

const database = await useTestDatabase();
await prepareQueueBackend({ kind: 'postgres', url: database.databaseUrl });

const main = fileURLToPath(new URL('../../../api/src/main.ts', import.meta.url));
const line = z.looseObject({ level: z.string(), msg: z.string(), port: z.int().optional() });
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) {
    child.kill('SIGKILL');
  }
});

function startApi(env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [main], {
    env: { ...childEnvironment, DATABASE_URL: database.databaseUrl, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  return child;
}

async function linesUntil(child: ChildProcess, message: string) {
  const lines: Array<z.output<typeof line>> = [];
  if (child.stdout === null) throw new Error('the process has no output');
  for await (const text of createInterface({ input: child.stdout })) {
    const read = line.parse(JSON.parse(text));
    lines.push(read);
    if (read.msg === message) break;
  }
  return lines;
}

test('starts with one line, serves, and ends in order on SIGTERM', async () => {
  const child = startApi({ PORT: '0' });
  const lines = await linesUntil(child, 'listening');
  expect(lines).toHaveLength(1);
  const answer = await fetch(`http://127.0.0.1:${lines[0]?.port}/readyz`);
  expect(await answer.json()).toEqual({ status: 'ready' });
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

test('a port that is taken is said, and ends the process', async () => {
  const holder = createServer().listen(0);
  await once(holder, 'listening');
  const address = holder.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const child = startApi({ PORT: String(port) });
  const exited = once(child, 'exit');
  const lines = await linesUntil(child, 'could not start');
  expect(JSON.stringify(lines)).toContain('EADDRINUSE');
  expect(await exited).toEqual([1, null]);
  holder.close();
});

test('an environment that is not right is said, fault by fault', async () => {
  const child = startApi({ PORT: 'http', OPS_USER: 'ops' });
  // Not its exit, after which some of its output may still come.
  const closed = once(child, 'close');
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  expect(await closed).toEqual([78, null]);
  expect(said).toContain('PORT: must be a whole number');
  expect(said).toContain('OPS_PASSWORD: is not set');
});
