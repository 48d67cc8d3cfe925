import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

function git(root: string, ...args: string[]): string[] {
  return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

/** The files that differ from `base`, committed or not, as paths below the root. Without a base: from where this branch left main. */
export function changedFiles(root: string, base?: string): string[] {
  const [from] = base === undefined ? git(root, 'merge-base', 'HEAD', 'main') : [base];
  return [
    ...git(root, 'diff', '--name-only', '--no-renames', from ?? 'HEAD', '--'),
    ...git(root, 'ls-files', '--others', '--exclude-standard'),
  ];
}

/** The code that names a file that is not code, such as a page that a test reads. */
export function readersOf(root: string, file: string): string[] {
  const name = file.slice(file.lastIndexOf('/') + 1);
  try {
    return git(root, 'grep', '--files-with-matches', '--fixed-strings', '--word-regexp', name, '--', '*.ts');
  } catch {
    // Git's status is 1 if nothing matches.
    return [];
  }
}

export function exists(root: string, file: string): boolean {
  return existsSync(join(root, file));
}
