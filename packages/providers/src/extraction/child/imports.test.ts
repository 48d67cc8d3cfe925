import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The modules of this folder and of packages that a module loads when it runs. */
function importsOf(module: URL): string[] {
  const source = readFileSync(module, 'utf8');
  const statements = source.matchAll(/^import (?!type\b)(?:[^;]*? from )?'([^']+)';/gm);
  return [...statements].flatMap(([, specifier]) => specifier ?? []);
}

test('a process that reads files loads only the parts of core that it uses, because all of core would take a third of its start', () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const waiting = ['main.ts', 'watchdog.ts'].map((file) => new URL(file, import.meta.url));
  for (let module = waiting.pop(); module; module = waiting.pop()) {
    if (seen.has(module.href)) continue;
    seen.add(module.href);
    for (const specifier of importsOf(module)) {
      if (specifier.startsWith('.')) waiting.push(new URL(specifier, module));
      else packages.add(specifier);
    }
  }
  expect(packages).toContain('pdf-parse');
  expect([...packages].filter((name) => name.startsWith('@outdial/')).toSorted()).toEqual([
    '@outdial/core/file-kind',
    '@outdial/core/mark-words',
    '@outdial/runtime/parent-pipe',
  ]);
});
