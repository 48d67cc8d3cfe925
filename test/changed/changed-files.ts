import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The lines that git prints, or none if it fails, as for a branch that does not exist or a search without a match. */
function git(root: string, ...args: string[]): string[] {
  try {
    const output = execFileSync('git', ['-C', root, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return output.split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

/** The files that differ from `base`, committed or not, as paths below the root. Without a base: from where this branch left main. */
export function changedFiles(root: string, base?: string): string[] {
  const [from] =
    base === undefined
      ? ['main', 'origin/main'].flatMap((branch) => git(root, 'merge-base', 'HEAD', branch))
      : git(root, 'rev-parse', '--verify', `${base}^{commit}`);
  if (base !== undefined && from === undefined) throw new Error(`${base} is neither a file nor a commit`);
  return [
    ...git(root, 'diff', '--name-only', '--no-renames', from ?? 'HEAD', '--'),
    ...git(root, 'ls-files', '--others', '--exclude-standard'),
  ];
}

/** The code that names a file that is not code, such as a page that a test reads. */
export function readersOf(root: string, file: string): string[] {
  const name = file.slice(file.lastIndexOf('/') + 1);
  // Each package has one, so that its name says nothing.
  if (name === 'package.json') return [];
  return git(root, 'grep', '--files-with-matches', '--fixed-strings', '--word-regexp', name, '--', '*.ts');
}

export function exists(root: string, file: string): boolean {
  return existsSync(join(root, file));
}
