import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

test('the packed client works in a folder outside of the repository', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'outdial-client-package-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  // Packs a copy, because packing temporarily changes the manifest, which other tests read.
  const copy = join(directory, 'packages', 'client');
  const dependencies = join(root, 'packages/client/node_modules');
  await cp(join(root, 'tsconfig.base.json'), join(directory, 'tsconfig.base.json'));
  await cp(join(root, 'packages/client'), copy, {
    recursive: true,
    filter: (path) => !/\/(node_modules|dist)$/.test(path),
  });
  await symlink(dependencies, join(copy, 'node_modules'));
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  const beforePacking = 'bin/bootstrap/before-packing.mjs';
  await cp(join(root, beforePacking), join(directory, beforePacking));
  const manifest = await readFile(join(copy, 'package.json'), 'utf8');

  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` };
  await run('npm', ['pack', '--silent', '--pack-destination', directory], { cwd: copy, env });
  expect(await readFile(join(copy, 'package.json'), 'utf8')).toBe(manifest);

  const app = join(directory, 'app');
  const installed = join(app, 'node_modules/@outdial/client');
  await mkdir(installed, { recursive: true });
  const { version } = JSON.parse(manifest) as { version: string };
  const tarball = join(directory, `outdial-client-${version}.tgz`);
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  for (const name of ['openapi-fetch', 'standardwebhooks']) {
    await symlink(join(dependencies, name), join(app, 'node_modules', name));
  }
  await writeFile(
    join(app, 'main.mjs'),
    `import { createOutdialClient, readWebhook } from '@outdial/client';
     import { startWebCall } from '@outdial/client/web-call';
     const client = createOutdialClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'od_x' });
     console.log(typeof client.GET, typeof readWebhook, typeof startWebCall);`,
  );
  const { stdout } = await run('node', ['main.mjs'], { cwd: app, env });
  expect(stdout.trim()).toBe('function function function');
});
