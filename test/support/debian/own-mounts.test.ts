import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { noOwnMounts, withOwnMounts } from './own-mounts.ts';

const none = noOwnMounts();

describe.skipIf(none !== null)(
  `a program in its own mount namespace${none === null ? '' : ` (${none})`}`,
  () => {
    test('hides its mounts from other processes, and ends with its parent', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'outdial-own-mounts-'));
      onTestFinished(() => rmdirSync(folder));
      const starter = spawn(process.execPath, [join(import.meta.dirname, 'own-mounts.fixture.ts'), folder], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      onTestFinished(() => void starter.kill('SIGKILL'));

      const [said] = (await once(starter.stdout.setEncoding('utf8'), 'data')) as [string];
      expect(said.trim()).toBe(join(folder, 'self/mounts'));
      expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(folder);
      expect(readdirSync(folder)).toEqual([]);

      const allEnded = once(starter.stdout, 'close');
      starter.kill('SIGKILL');
      // The program writes to the same pipe, which closes when no process holds it any more.
      await allEnded;
    });
  },
);

test('reports the missing capability if a program cannot have its own namespace', () => {
  const path = process.env['PATH'];
  onTestFinished(() => void (process.env['PATH'] = path));
  process.env['PATH'] = '/nonexistent';
  expect(noOwnMounts()).toMatch(/^setpriv of util-linux: .*ENOENT/);
});

test('does not change the arguments', () => {
  const { command, args } = withOwnMounts('debootstrap', ['--variant=minbase', 'a b']);
  expect([command, ...args].slice(-3)).toEqual(['debootstrap', '--variant=minbase', 'a b']);
});
