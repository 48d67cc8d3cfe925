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

/** Folders that any user can enter; the first is not swept while a server runs from it. One may be mounted `noexec`. */
const shelters = () => ['/var/cache', '/var/tmp', tmpdir()];

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Copies what a server needs from `native` to a place that every user can enter, and yields where; the
 * caller asks for the next place if it cannot run it there. A whole copy from an earlier start is taken as it is.
 */
export function* copyBinaries(native: string, version: string): Generator<string> {
  // One copy for each installation, so that another version or another clone does not disturb it.
  const key = createHash('sha256').update(native).digest('hex').slice(0, 12);
  for (const shelter of shelters()) {
    let copy: string;
    try {
      copy = copyInto(join(shelter, `outdial-postgres-${version}-${key}`), native);
    } catch {
      continue; // Not writable, or full.
    }
    yield copy;
  }
}

function copyInto(target: string, native: string): string {
  if (isOurs(target) && isWhole(target, native)) return target;
  removeAbandoned(target);
  const fresh = mkdtempSync(`${target}.new-`);
  cpSync(native, fresh, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
  restoreSymlinks(fresh);
  openToAll(fresh);
  if (isOurs(target)) {
    // Another start was faster, and its server runs from there.
    if (isWhole(target, native)) {
      rmSync(fresh, { recursive: true, force: true });
      return target;
    }
    // An earlier copy that lost files gives way. A folder of another owner with that name is never used.
    rmSync(target, { recursive: true, force: true });
  }
  try {
    renameSync(fresh, target);
    return target;
  } catch {
    return fresh;
  }
}

/** Copies that a killed start left half made. One that is being made now is younger. */
function removeAbandoned(target: string) {
  for (const name of readdirSync(dirname(target))) {
    const path = join(dirname(target), name);
    if (!name.startsWith(`${basename(target)}.new-`) || !isOurs(path)) continue;
    if (Date.now() - lstatSync(path).mtimeMs > 60 * 60_000) rmSync(path, { recursive: true, force: true });
  }
}

/** Files that are only for compiling against Postgres are skipped. */
function isNeeded(path: string): boolean {
  return !path.endsWith('.a') && !path.split(sep).includes('pkgconfig');
}

/** Only this user can have put files there: the folders that hold the copies are sticky or the system's. */
function isOurs(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return false;
  return stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
}

/** Sweepers of temporary folders take old files one by one. */
function isWhole(copy: string, native: string): boolean {
  return readdirSync(native, { recursive: true, withFileTypes: true }).every((entry) => {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !isNeeded(path)) return true;
    const copied = lstatSync(join(copy, relative(native, path)), { throwIfNoEntry: false });
    return copied?.size === lstatSync(path).size;
  });
}

/** npm packages hold no symbolic links: the package lists them, and its postinstall makes them where it may run. */
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
