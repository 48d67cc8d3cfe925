import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { watchProcess } from './watch-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'outdial-keep-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program that records each start and then runs `end`. */
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

test('a process that keeps crashing is restarted five times, then given up with the reason', async () => {
  const { program: path, starts } = program('crashes', 'setTimeout(() => process.exit(3), 20);');
  const notices: string[] = [];
  const watched = watchProcess(
    { name: 'api', program: path, env: process.env },
    { onLine: () => undefined, firstPauseMs: 1 },
  );
  watched.keepRunning((text) => notices.push(text));
  expect(await watched.gaveUp).toEqual({ name: 'api', code: 3, signal: null });
  expect(starts()).toBe(6);
  expect(notices).toHaveLength(5);
  expect(notices[0]).toBe('The api process ended (status 3) and will restart in 0.001 s');
  expect(notices[4]).toContain('0.016 s');
});

test('a process that exits before all are ready is not restarted', async () => {
  const { program: path, starts } = program('never', 'process.exit(78);');
  const watched = watchProcess({ name: 'api', program: path, env: process.env }, { onLine: () => undefined });
  expect(await watched.gaveUp).toMatchObject({ code: 78 });
  expect(starts()).toBe(1);
});

test('a stopped process is not restarted', async () => {
  const { program: path, starts } = program('serves', 'setInterval(() => {}, 1000);');
  const up = Promise.withResolvers<void>();
  const watched = watchProcess(
    { name: 'worker', program: path, env: process.env },
    { onLine: () => up.resolve(), firstPauseMs: 1 },
  );
  watched.keepRunning(() => undefined);
  await up.promise;
  await watched.stop(60_000);
  expect(starts()).toBe(1);
});
