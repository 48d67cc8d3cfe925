import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifestOf = (path: string) => z.object({ version: z.string() }).parse(JSON.parse(read(path)));

const step = z.object({
  name: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
});
const workflow = z.object({
  on: z.object({ push: z.object({ tags: z.array(z.string()) }) }),
  jobs: z.object({ publish: z.object({ needs: z.literal('ci'), steps: z.array(step) }) }),
});
const { on, jobs } = workflow.parse(parse(read('.github/workflows/release.yml')));
const { steps } = jobs.publish;
const scriptOf = (name: string) => steps.find((one) => one.name === name)?.run ?? 'exit 99';
const { version } = manifestOf('package.json');

/** A folder with what the scripts read, and what they wrote to `$GITHUB_ENV`. */
async function checkout() {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const file of ['package.json', 'CHANGELOG.md', 'ops/helm']) {
    await cp(join(root, file), join(folder, file), { recursive: true });
  }
  const env: NodeJS.ProcessEnv = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    GITHUB_REPOSITORY: 'Acme/Outdial',
    GITHUB_REPOSITORY_OWNER: 'Acme',
    GITHUB_ENV: join(folder, 'env'),
    IMAGE: 'ghcr.io/acme/outdial',
    VERSION: version,
  };
  return {
    folder,
    run: (name: string, more: NodeJS.ProcessEnv = {}) =>
      run('bash', ['--norc', '-c', scriptOf(name)], { cwd: folder, env: { ...env, ...more } }),
  };
}

test('a release is made of a tag, after all checks', () => {
  expect(on.push.tags).toEqual(['v*']);
  expect(parse(read('.github/workflows/ci.yml'))).toHaveProperty('on.workflow_call');
});

test('all packages, the chart and the changelog have one version', () => {
  const manifests = globSync(['*/package.json', 'packages/*/package.json', 'examples/*/package.json'], {
    cwd: root,
  });
  expect(new Set(manifests.map((path) => manifestOf(path).version))).toEqual(new Set([version]));
  expect(parse(read('ops/helm/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  const [newest] = /^## \d.*$/m.exec(read('CHANGELOG.md')) ?? [];
  expect(newest).toMatch(
    new RegExp(String.raw`^## ${version.replaceAll('.', String.raw`\.`)} - \d{4}-\d\d-\d\d$`),
  );
});

test('a tag that is not the version stops the release', async () => {
  const { run: start } = await checkout();
  await expect(start('Read the version and its changes', { TAG: 'v9.9.9' })).rejects.toMatchObject({
    stderr: `the tag is v9.9.9, and package.json has ${version}\n`,
  });
});

test('a version without a section in the changelog stops the release', async () => {
  const { folder, run: start } = await checkout();
  await writeFile(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## 0.9.0 - 2026-01-01\n\n- a change\n');
  await expect(start('Read the version and its changes', { TAG: `v${version}` })).rejects.toMatchObject({
    stderr: `CHANGELOG.md has no section ${version}\n`,
  });
});

test('the release is described by its section of the changelog, and named after the repository', async () => {
  const { folder, run: start } = await checkout();
  await start('Read the version and its changes', { TAG: `v${version}` });
  const changes = await readFile(join(folder, 'out/changes.md'), 'utf8');
  expect(changes).toContain('### Campaigns and calls');
  expect(changes).not.toMatch(/^## /m);
  expect(await readFile(join(folder, 'env'), 'utf8')).toBe(
    `VERSION=${version}\nIMAGE=ghcr.io/acme/outdial\nCHARTS=ghcr.io/acme/charts\n`,
  );
});

test('the published chart names the published image', async () => {
  const { folder, run: start } = await checkout();
  await mkdir(join(folder, 'bin'));
  // Helm and Git are not what is tested: the values that the chart is packaged with are.
  await writeFile(join(folder, 'bin/helm'), '#!/bin/sh\ncp ops/helm/values.yaml packaged.yaml\n', {
    mode: 0o755,
  });
  await writeFile(join(folder, 'bin/git'), '#!/bin/sh\n', { mode: 0o755 });
  await start('Package the chart, which names the published image');
  expect(parse(await readFile(join(folder, 'packaged.yaml'), 'utf8'))).toMatchObject({
    image: { repository: 'ghcr.io/acme/outdial' },
  });
});

test.each(steps.flatMap((one) => (one.run === undefined ? [] : [[one.name ?? one.run, one.run] as const])))(
  'the script of the step "%s" is valid',
  async (_, script) => {
    await expect(run('bash', ['--norc', '-n', '-c', script])).resolves.toMatchObject({ stderr: '' });
  },
);

test('actions are pinned to a version', () => {
  const used = steps.flatMap(({ uses }) => uses ?? []);
  expect(used).toEqual(used.map(() => expect.stringMatching(/^actions\/[\w-]+@v\d+$/) as unknown));
});
