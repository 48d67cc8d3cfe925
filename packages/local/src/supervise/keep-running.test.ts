import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { keepProcess } from './keep-running.ts';

const folder = mkdtempSync(join(tmpdir(), 'outdial-keep-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Notes each start, and ends as it is told. */
function program(name: string, end: string): { program: string; starts: () => number } {
  const path = join(folder, `${name}.mjs`);
  const log = join(folder, `${name}.log`);
  writeFileSync(log, '');
  writeFileSync(
    path,
    `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(log)}, '.'); console.log('up'); ${end}`,
  );
  return { program: path, starts: () => readFileSync(log, 'utf8').length };
}

test('what ends again and again is started again, and given up with its reason', async () => {
  const { program: path, starts } = program('crashes', 'setTimeout(() => process.exit(3), 20);');
  const notices: string[] = [];
  const kept = keepProcess(
    { name: 'api', program: path, env: process.env },
    { onLine: () => undefined, notice: (text) => notices.push(text), firstPauseMs: 1 },
  );
  kept.keepRunning();
  expect(await kept.gaveUp).toEqual({ name: 'api', code: 3, signal: null });
  expect(starts()).toBe(6);
  expect(notices).toHaveLength(5);
  expect(notices[0]).toBe('The api process ended (status 3) and is started again in 0.001 s');
  expect(notices[4]).toContain('0.016 s');
});

test('what ends before all are ready is not started again', async () => {
  const { program: path, starts } = program('never', 'process.exit(78);');
  const kept = keepProcess(
    { name: 'api', program: path, env: process.env },
    { onLine: () => undefined, notice: () => undefined },
  );
  expect(await kept.gaveUp).toMatchObject({ code: 78 });
  expect(starts()).toBe(1);
});

test('what is stopped stays stopped', async () => {
  const { program: path, starts } = program('serves', 'setInterval(() => {}, 1000);');
  const up = Promise.withResolvers<void>();
  const kept = keepProcess(
    { name: 'worker', program: path, env: process.env },
    { onLine: () => up.resolve(), notice: () => undefined, firstPauseMs: 1 },
  );
  kept.keepRunning();
  await up.promise;
  await kept.stop(5_000);
  expect(starts()).toBe(1);
});
