import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tryProcessLock } from './process-lock.mjs';

const lockModule = new URL('./process-lock.mjs', import.meta.url).href;

function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, path: join(folder, 'lock') };
}

/** Another process that takes the lock, prints the result, and lives until it is killed. */
async function otherProcess(path: string) {
  const program = `import { tryProcessLock } from '${lockModule}';
    const lock = tryProcessLock(${JSON.stringify(path)});
    process.stdout.write(lock.state);
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.setEncoding('utf8');
  const said = String((await once(child.stdout, 'data'))[0]);
  return { child, said };
}

test('has one holder at a time, and is free again after its release', () => {
  const { folder, path } = setup();
  const first = tryProcessLock(path);
  expect(first.state).toBe('held');
  expect(tryProcessLock(path)).toEqual({ state: 'busy', pid: process.pid });
  if (first.state === 'held') first.release();
  expect(readdirSync(folder)).toEqual([]);
  expect(tryProcessLock(path).state).toBe('held');
});

test('names its owner, and is free when the owner is killed', async () => {
  const { path } = setup();
  const { child, said } = await otherProcess(path);
  expect(said).toBe('held');
  expect(tryProcessLock(path)).toEqual({ state: 'busy', pid: child.pid });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(tryProcessLock(path).state).toBe('held');
});

test('is not fooled by a later process with the number of the dead owner', () => {
  const { path } = setup();
  mkdirSync(path);
  writeFileSync(
    join(path, 'owner.json'),
    JSON.stringify({ pid: process.pid, token: 'x', identity: 'an-earlier-boot/1' }),
  );
  expect(tryProcessLock(path).state).toBe('held');
});

test.runIf(process.platform === 'linux')(
  'passes on when its owner is dead and its exit status was not collected',
  async () => {
    const { path } = setup();
    // The shell becomes a program that never waits for its child, which takes the lock and is killed.
    const program = `import { tryProcessLock } from '${lockModule}';
    tryProcessLock(${JSON.stringify(path)}); process.stdout.write('taken'); process.kill(process.pid, 'SIGKILL');`;
    const parent = spawn(
      'sh',
      ['-c', '"$0" --input-type=module -e "$1" & exec sleep 60', process.execPath, program],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    onTestFinished(() => void parent.kill('SIGKILL'));
    await once(parent.stdout, 'data');
    await expect.poll(() => tryProcessLock(path).state, { interval: 5 }).toBe('held');
  },
);

test('goes to exactly one of many that find a dead owner at once', async () => {
  const { path } = setup();
  mkdirSync(path);
  writeFileSync(
    join(path, 'owner.json'),
    JSON.stringify({ pid: 2 ** 22 + 1, token: 'gone', identity: null }),
  );
  const said = await Promise.all(Array.from({ length: 8 }, () => otherProcess(path)));
  expect(said.filter((other) => other.said === 'held')).toHaveLength(1);
});
