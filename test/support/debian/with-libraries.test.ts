import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withLibraries } from './unpack-packages.ts';

test('a program finds libraries in subfolders of its packages', () => {
  const root = mkdtempSync(join(tmpdir(), 'outdial-unpacked-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const libraries = join(root, 'usr/lib/x86_64-linux-gnu');
  for (const [folder, file] of [
    ['pulseaudio', 'libpulsecommon-16.1.so'],
    ['gtk-3.0', 'readme'],
  ] as const) {
    mkdirSync(join(libraries, folder), { recursive: true });
    writeFileSync(join(libraries, folder, file), '');
  }
  expect(withLibraries(root)['LD_LIBRARY_PATH']).toBe(`${libraries}:${join(libraries, 'pulseaudio')}`);
});
