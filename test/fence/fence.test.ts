import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkFence } from './fence.ts';
import { allowedPackages, layers } from './rules.ts';

const engine = 'packages/engine/src';

/** A workspace with only these files. */
function plant(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'outdial-fence-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [file, source] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), source);
  }
  return checkFence(root);
}

describe('the fence reports', () => {
  test.each([
    ['a package name', "import { a } from '@outdial/engine';"],
    ['a path below a package name', "import { a } from '@outdial/engine/src/a.ts';"],
    ['a relative path', "import { a } from '../../engine/src/a.ts';"],
    ['a type-only import', "import type { A } from '@outdial/engine';"],
    ['a type-only relative import', "import type { A } from '../../engine/src/a.ts';"],
    ['a bare import', "import '@outdial/engine';"],
    ['a re-export of names', "export { a } from '@outdial/engine';"],
    ['a re-export of types', "export type { A } from '@outdial/engine';"],
    ['a re-export of everything', "export * from '../../engine/src/a.ts';"],
    ['a dynamic import', "const a = await import('@outdial/engine');"],
    ['an import inside a type', "let a: import('@outdial/engine').A;"],
    ['a require', "const a = require('@outdial/engine');"],
    ['a resolved path', "const a = import.meta.resolve('@outdial/engine');"],
    ['a path that is computed', 'const a = await import(process.argv[2]);'],
  ])('%s', (_, source) => {
    const { violations } = plant({ 'packages/queues/src/index.ts': `\n${source}\n` });
    expect(violations).toMatchObject([{ file: 'packages/queues/src/index.ts', line: 2 }]);
  });

  test.each([
    ['api imports scheduler', 'api/src/app.ts', '@outdial/scheduler'],
    ['scheduler imports worker', 'scheduler/src/main.ts', '@outdial/worker'],
    ['worker imports api', 'worker/src/jobs/a.ts', '@outdial/api'],
    ['a package imports api', 'packages/cli/src/main.ts', '@outdial/api'],
    ['api imports test', 'api/src/a.test.ts', '../../test/support/database.ts'],
    ['api imports test by name', 'api/src/app.ts', '@outdial/test'],
    ['core imports Node', 'packages/core/src/a.ts', 'node:fs'],
    ['core imports a package', 'packages/core/src/a.ts', 'zod'],
    ['engine builds an adapter', 'packages/engine/src/a.ts', '@outdial/providers'],
    ['api builds an adapter outside main', 'api/src/app.ts', '@outdial/providers'],
    ['a lower folder of the engine imports a higher one', `${engine}/progress/a.ts`, '../dial/b.ts'],
    ['a base file of the engine imports a folder', `${engine}/timing.ts`, './gate/a.ts'],
    ['a package without a rule', 'packages/stray/src/a.ts', '@outdial/core'],
  ])('%s', (_, file, specifier) => {
    const { violations } = plant({ [file]: `import '${specifier}';` });
    expect(violations).toMatchObject([{ file, specifier }]);
  });
});

test('allows the imports of the rules', () => {
  const { violations, filesByPackage } = plant({
    'api/src/main.ts': "import '@outdial/providers'; import './app.ts'; import '@outdial/db';",
    'worker/src/worker.ts': "import '@outdial/engine'; import 'node:fs'; import 'zod';",
    [`${engine}/index.ts`]: "import './campaigns/a.ts';",
    [`${engine}/campaigns/a.ts`]: "import '../dial/b.ts'; import './b.ts'; import '../timing.ts';",
    'packages/core/src/a.ts': "import 'luxon'; import 'libphonenumber-js/max'; import './b.ts';",
    'packages/core/src/a.test.ts': "import 'vitest'; import 'node:fs';",
    'api/src/env.ts': "import '@outdial/providers/environment';",
    'packages/local/src/main.ts': "import '@outdial/runtime'; import '@outdial/db';",
    'test/e2e/a.test.ts': "import '@outdial/api'; import '../../worker/src/env.ts';",
    'api/node_modules/x/index.js': "import '@outdial/scheduler';",
  });
  expect(violations).toEqual([]);
  expect([...filesByPackage.values()].reduce((a, b) => a + b)).toBe(9);
});

test('knows every folder of a layered package', () => {
  for (const [folder, order] of Object.entries(layers)) {
    const entries = readdirSync(join(import.meta.dirname, '../..', folder), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    expect(folders.toSorted()).toEqual(order.filter((name) => !/\.tsx?$/.test(name)).toSorted());
  }
});

test('has a rule for every package of the workspace', () => {
  const root = join(import.meta.dirname, '../..');
  const { filesByPackage } = checkFence(root);
  expect([...filesByPackage.keys()].filter((name) => !(name in allowedPackages))).toEqual([]);
});
