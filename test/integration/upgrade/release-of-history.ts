import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const git = async (...args: string[]) => (await run('git', ['-C', root, ...args])).stdout.trim();

/**
 * The commit of the first release: the last one before the first change of its schema. Null if the repository has no history, as in an archive or a
 * shallow clone.
 */
export async function firstRelease(): Promise<string | null> {
  const added = await git(
    'log',
    '--diff-filter=A',
    '--format=%H',
    '--',
    'db/migrations/0003_lines_where_capped.ts',
  ).catch(() => '');
  const commit = added.split('\n').at(-1) ?? '';
  // In a shallow clone, the oldest commit adds every file.
  return commit === '' ? null : git('rev-parse', '--verify', '--quiet', `${commit}^`).catch(() => null);
}

const manifest = z.object({
  name: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
});

/** The sources of a release from git, in .cache, with the currently installed dependencies. */
export async function unpackRelease(commit: string): Promise<string> {
  const folder = join(root, '.cache/releases', commit);
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  try {
    await git('archive', `--output=${join(draft, 'release.tar')}`, commit);
    await run('tar', ['-xf', 'release.tar'], { cwd: draft });
    await rm(join(draft, 'release.tar'));
    const own = await packagesOf(draft);
    const libraries = await installedLibraries();
    for (const { path, dependencies } of own.values()) {
      for (const name of Object.keys(dependencies)) {
        // The links point to the release's final location.
        const linked = own.get(name);
        const found = linked === undefined ? libraries.get(name) : join(folder, linked.path);
        if (found === undefined) {
          throw new Error(`${name}, which the release in ${commit} needs, is not installed`);
        }
        const link = join(draft, path, 'node_modules', name);
        await mkdir(dirname(link), { recursive: true });
        await symlink(found, link);
      }
    }
    await rename(draft, folder).catch((error: unknown) => {
      // A concurrent run has already created it.
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The packages of a workspace, by name; paths are relative to it. */
async function packagesOf(workspace: string) {
  const shared = (await readdir(join(workspace, 'packages'))).map((name) => join('packages', name));
  const folders = ['api', 'scheduler', 'worker', 'db', ...shared].filter((path) =>
    existsSync(join(workspace, path, 'package.json')),
  );
  const read = async (path: string) => ({
    path,
    ...manifest.parse(JSON.parse(await readFile(join(workspace, path, 'package.json'), 'utf8'))),
  });
  return new Map((await Promise.all(folders.map(read))).map((one) => [one.name, one]));
}

async function installedLibraries(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { path, dependencies } of (await packagesOf(root)).values()) {
    for (const name of Object.keys(dependencies)) {
      const link = join(root, path, 'node_modules', name);
      if (existsSync(link)) found.set(name, await realpath(link));
    }
  }
  return found;
}
