import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repeatsIn } from '../steps/repeat.ts';
import { childEnvironment } from './child-environment.ts';

const root = join(import.meta.dirname, '../..');
const red = `
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
test('green', () => {});
describe('a (thing)', () => {
  test("isn't 2+2", () => expect(1).toBe(2));
  test('holds for all', () => {
    fc.assert(fc.property(fc.integer(), (n) => { console.log('tried', n); return n < 1_000; }));
  });
});
`;

/** A folder with tests of which two fail, and the reporter and the setup of this repository. */
function plant(): string {
  const cache = join(root, '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'red-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'red.test.ts'), red);
  const files = (name: string) => JSON.stringify([join(root, 'test/support', name)]);
  const config = `export default { test: { setupFiles: ${files('seed.ts')}, reporters: ['default', ...${files('closing-line-reporter.ts')}] } };`;
  writeFileSync(join(folder, 'vitest.config.mjs'), config);
  return folder;
}

function run(folder: string, command: string): string {
  const PATH = `${join(root, 'node_modules/.bin')}:${childEnvironment['PATH']}`;
  const { stdout } = spawnSync(command, {
    cwd: folder,
    shell: true,
    encoding: 'utf8',
    env: { ...childEnvironment, PATH },
  });
  return stdout;
}

test('a red run ends with the commands that repeat each failed test alone, with its seed', () => {
  const folder = plant();
  const output = run(folder, 'npx vitest run');
  const [plain = '', property = '', ...others] = repeatsIn(output);
  expect(others).toEqual([]);
  expect(output.trimEnd().split('\n').slice(-3)).toEqual([
    `repeat: ${plain}`,
    `repeat: ${property}`,
    '1 passed, 2 failed',
  ]);
  expect(plain).toBe(String.raw`npx vitest run red.test.ts -t '^a \(thing\) > isn'\''t 2\+2$'`);
  expect(property).toMatch(
    /^SEED=-?\d+ npx vitest run red\.test\.ts -t '\^a \\\(thing\\\) > holds for all\$'$/,
  );
  expect(run(folder, plain)).toMatch(/\n0 passed, 1 failed, 2 skipped\n$/);
  // With the same seed, the same numbers are tried.
  const again = run(folder, property);
  const tried = (text: string) => text.match(/^tried .*$/gm);
  expect(again).toMatch(/\n0 passed, 1 failed, 2 skipped\n$/);
  expect(tried(again)?.length).toBeGreaterThan(0);
  expect(tried(again)).toEqual(tried(output));
});
