import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { z } from 'zod';

/** Folders that any user can enter. /var/cache comes first, because the system does not clean it up. A folder may be mounted `noexec`. */
const parentFolders = () => ['/var/cache', '/var/tmp', tmpdir()];

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Copies the files of a server to a folder that every user can enter, and yields that folder. A caller that cannot run the copy asks for the
 * next one. A complete copy from an earlier start is used again.
 */
export function* copyBinaries(native: string, version: string): Generator<string> {
  // One copy for each installation, so that another version or another clone does not disturb it.
  const key = createHash('sha256').update(native).digest('hex').slice(0, 12);
  for (const parent of parentFolders()) {
    let copy: string;
    try {
      copy = copyInto(join(parent, `outdial-postgres-${version}-${key}`), native);
    } catch {
      continue; // Not writable, or full.
    }
    yield copy;
  }
}

function copyInto(target: string, native: string): string {
  if (isOurs(target) && isComplete(target, native)) return target;
  removeAbandoned(target);
  const fresh = mkdtempSync(`${target}.new-`);
  cpSync(native, fresh, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
  restoreSymlinks(fresh);
  openToAll(fresh);
  if (isOurs(target)) {
    // A concurrent start was faster, and its server runs from there.
    if (isComplete(target, native)) {
      rmSync(fresh, { recursive: true, force: true });
      return target;
    }
    // Replace an incomplete copy. A folder of another user with that name is never used.
    rmSync(target, { recursive: true, force: true });
  }
  try {
    renameSync(fresh, target);
    return target;
  } catch {
    return fresh;
  }
}

/** Removes unfinished copies of killed starts. A copy that is still being written is younger than an hour. */
function removeAbandoned(target: string) {
  for (const name of readdirSync(dirname(target))) {
    const path = join(dirname(target), name);
    if (!name.startsWith(`${basename(target)}.new-`) || !isOurs(path)) continue;
    if (Date.now() - lstatSync(path).mtimeMs > 60 * 60_000) rmSync(path, { recursive: true, force: true });
  }
}

/** Skips files that are only needed to compile against Postgres. */
function isNeeded(path: string): boolean {
  return !path.endsWith('.a') && !path.split(sep).includes('pkgconfig');
}

/** Whether only this user can have written to the folder. The parent folders are sticky or belong to root. */
function isOurs(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return false;
  return stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
}

/** Checks each file, because clean-up jobs delete old temporary files one by one. */
function isComplete(copy: string, native: string): boolean {
  return readdirSync(native, { recursive: true, withFileTypes: true }).every((entry) => {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !isNeeded(path)) return true;
    const copied = lstatSync(join(copy, relative(native, path)), { throwIfNoEntry: false });
    return copied?.size === lstatSync(path).size;
  });
}

/** npm packages cannot contain symbolic links. The package lists them, and its postinstall script may not have run. */
function restoreSymlinks(copy: string) {
  const links = symlinkList.parse(JSON.parse(readFileSync(join(copy, 'pg-symlinks.json'), 'utf8')));
  for (const { source, target } of links) {
    const from = join(copy, relative('native', source));
    const link = join(copy, relative('native', target));
    if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(relative(join(link, '..'), from), link);
  }
}

function openToAll(folder: string) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
}
