import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { pageBlocks } from './page-blocks.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Surroundings {
  /** Where the reader's file is: its imports are resolved from there. */
  folder: string;
  /** What the reader's program has around the block. */
  around: string;
}

const surroundings: Readonly<Record<string, Surroundings>> = {
  'packages/client/README.md#1': {
    folder: 'test/node_modules/.cache',
    around: `declare const campaign_id: string, secret: string, body: string;
declare const request: { headers: Record<string, string> };`,
  },
  'docs/web-calls.md#1': {
    folder: 'test/node_modules/.cache',
    around: `declare function show(role: string, text: string): void;
declare function done(how: unknown): void;`,
  },
  'docs/webhooks.md#2': { folder: 'test/node_modules/.cache', around: '' },
  'api/src/README.md#1': {
    folder: 'api/node_modules/.cache',
    around: `import { envelope, got, rolesFrom } from '@outdial/contracts';
import type { Db } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../../src/http/define-route.ts';
import { orNotFound, resourceId } from '../../../src/http/resource-id.ts';
const thing = z.object({ id: z.string() }).meta({ id: 'Thing' });
declare function findThing(db: Db, key: { organizationId: string; id: string }): Promise<{ id: string } | null>;
const thingView = (row: { id: string }) => row;`,
  },
};

const blocks = pageBlocks().filter(({ language }) => language === 'ts' || language === 'typescript');

test('each block of TypeScript has its surroundings here', () => {
  expect(blocks.map(({ id }) => id)).toEqual(Object.keys(surroundings).toSorted());
});

test.each(blocks)('$id compiles under --strict', async ({ id, text }) => {
  const { folder, around } = surroundings[id] ?? { folder: 'test/node_modules/.cache', around: '' };
  // The packages that a reader installs are found from there, and nothing else looks there.
  await mkdir(join(root, folder), { recursive: true });
  const place = await mkdtemp(join(root, folder, 'block-'));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  await writeFile(join(place, 'block.ts'), `${around}\n${text}\nexport {};\n`);
  const options = {
    strict: true,
    noEmit: true,
    target: 'ES2024',
    lib: ['ES2024', 'DOM', 'DOM.Iterable', 'ESNext.Array', 'ESNext.Disposable'],
    module: 'NodeNext',
    types: ['node'],
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  };
  await writeFile(
    join(place, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['block.ts'] }),
  );
  const { stdout } = await run('npx', ['tsc', '-p', place], { cwd: root }).catch((error: unknown) => ({
    stdout: String((error as { stdout?: string }).stdout ?? error),
  }));
  expect(stdout).toBe('');
});
