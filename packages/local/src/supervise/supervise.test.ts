import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import type { ProcessSpec } from './supervise.ts';
import { describeEnd, superviseProcesses } from './supervise.ts';

const supervise = new URL('./supervise.ts', import.meta.url).href;
const idle = 'setInterval(() => {}, 1000);';

/** Programs of these sources, by name. */
function programs(sources: Record<string, string>): ProcessSpec[] {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-supervise-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return Object.entries(sources).map(([name, source]) => {
    const program = join(folder, `${name}.mjs`);
    writeFileSync(program, source);
    return { name, program, env: { PATH: process.env['PATH'] } };
  });
}

/** A supervisor that collects lines, and says when one has come so often. */
function setup(sources: Record<string, string>) {
  const lines: string[] = [];
  const waiting: Array<{ text: string; count: number; resolve: () => void }> = [];
  const supervised = superviseProcesses({
    specs: programs(sources),
    onLine: (name, line) => {
      lines.push(`${name}: ${line}`);
      for (const each of waiting) {
        if (lines.filter((one) => one.includes(each.text)).length >= each.count) each.resolve();
      }
    },
  });
  onTestFinished(() => supervised.stop(0));
  const seen = (text: string, count: number) =>
    new Promise<void>((resolve) => waiting.push({ text, count, resolve }));
  return { supervised, lines, seen };
}

test('passes on the output of the processes, and lets them finish their work when it stops them', async () => {
  const source = `process.on('SIGTERM', () => { console.log('closed'); process.exit(0); });
    console.log('up'); console.error('warned'); ${idle}`;
  const { supervised, lines, seen } = setup({ api: source, worker: source });
  await seen('up', 2);
  await supervised.stop(60_000);
  expect(lines.toSorted()).toEqual([
    'api: closed',
    'api: up',
    'api: warned',
    'worker: closed',
    'worker: up',
    'worker: warned',
  ]);
});

test('says which process ended unexpectedly', async () => {
  const { supervised } = setup({ api: idle, worker: 'process.exit(3)' });
  const end = await supervised.unexpectedEnd;
  expect(end).toEqual({ name: 'worker', code: 3, signal: null });
  expect(describeEnd(end)).toBe('The worker process ended unexpectedly (status 3).');
});

test('kills processes that do not stop', async () => {
  const { supervised, seen } = setup({ api: `process.on('SIGTERM', () => {}); console.log('up'); ${idle}` });
  await seen('up', 1);
  await supervised.stop(50);
  const pid = supervised.pids.get('api') ?? 0;
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('leaves nothing behind when it is killed itself', async () => {
  const specs = programs({
    api: `process.on('SIGTERM', () => { console.log('closed'); process.exit(0); }); console.log(process.pid); ${idle}`,
    worker: `console.log(process.pid); ${idle}`,
  });
  const owner = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { superviseProcesses } from '${supervise}';
       superviseProcesses({ specs: ${JSON.stringify(specs)}, onLine: (_, line) => console.log(line) });`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const pids: number[] = [];
  for await (const line of createInterface({ input: owner.stdout })) {
    pids.push(Number(line));
    if (pids.length === 2) break;
  }
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  await expect.poll(() => pids.filter(isAlive), { interval: 10 }).toEqual([]);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
