import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyBinaries } from './copy-binaries.ts';

/** A folder shaped like the package's, with the parts that a copy leaves out. */
function nativeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-native-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const native = join(folder, 'native');
  for (const part of ['bin', 'lib/pkgconfig']) mkdirSync(join(native, part), { recursive: true });
  writeFileSync(join(native, 'bin', 'postgres'), 'program');
  writeFileSync(join(native, 'lib', 'libpq.so'), 'library');
  writeFileSync(join(native, 'lib', 'libpq.a'), 'archive');
  writeFileSync(join(native, 'lib', 'pkgconfig', 'libpq.pc'), 'flags');
  writeFileSync(join(native, 'pg-symlinks.json'), '[]');
  return native;
}

function copyOf(native: string): string {
  for (const copy of copyBinaries(native, '0.0.0-test')) {
    onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
    return copy;
  }
  throw new Error('no place for a copy');
}

test('uses a complete copy unchanged, because a server may run from it', () => {
  const native = nativeFolder();
  const first = copyOf(native);
  const before = statSync(first).ino;
  expect(copyOf(native)).toBe(first);
  expect(statSync(first).ino).toBe(before);
});

test('recreates a copy that lost a file', () => {
  const native = nativeFolder();
  const copy = copyOf(native);
  rmSync(join(copy, 'lib', 'libpq.so'));
  expect(copyOf(native)).toBe(copy);
  expect(statSync(join(copy, 'lib', 'libpq.so')).size).toBe('library'.length);
});
