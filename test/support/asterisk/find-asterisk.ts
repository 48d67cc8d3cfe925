import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { processLock } from '@outdial/local';
import { noOwnMounts, withOwnMounts } from '../debian/own-mounts.ts';
import { cacheFolder, firstLine, unpackPackages, type Unpacked } from '../debian/unpack-packages.ts';
import { onPath } from './find-program.ts';

const run = promisify(execFile);
const bootstrapTimeoutMs = 10 * 60_000;

/** A Debian with Asterisk, which runs by chroot. */
export interface AsteriskSystem {
  root: string;
  /** Relative to the root. */
  modules: string;
}

/** Releases with Asterisk; bookworm and trixie have none. They come from debootstrap's default mirror. */
const suites = ['sid', 'bullseye'];

/**
 * Finds Debian's Asterisk in the cache, or bootstraps it once, which takes about a minute and half a gigabyte. Needs root, because the packages are
 * set up in a chroot.
 */
export async function findAsterisk(): Promise<Unpacked<AsteriskSystem>> {
  if (process.getuid?.() !== 0) return missing('Asterisk runs by chroot, which needs root');
  const folder = join(cacheFolder, 'asterisk');
  const earlier = foundAmong(folder);
  if (earlier) return { state: 'found', program: earlier };
  mkdirSync(folder, { recursive: true });
  const lock = await processLock(join(folder, 'bootstrap.lock'));
  try {
    const other = foundAmong(folder);
    return other ? { state: 'found', program: other } : await bootstrap(folder);
  } finally {
    lock.release();
  }
}

async function bootstrap(folder: string): Promise<Unpacked<AsteriskSystem>> {
  const forbidden = noOwnMounts();
  if (forbidden !== null) {
    return missing(
      `debootstrap mounts /proc and /sys, and cannot have its own mount namespace here (${forbidden})`,
    );
  }
  const debootstrap = await findDebootstrap();
  if (debootstrap.state === 'missing') return debootstrap;
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith('new-'))) {
    removeSystem(join(folder, name));
  }
  const wanted = process.env['OUTDIAL_ASTERISK_SUITE'];
  const reasons: string[] = [];
  for (const suite of suites) {
    if (wanted !== undefined && wanted !== suite) continue;
    // Built in a temporary folder and renamed, so that an interrupted build is never used.
    const fresh = mkdtempSync(join(folder, 'new-'));
    try {
      const root = join(fresh, 'root');
      const { command, args } = withOwnMounts(debootstrap.program.command, [
        '--variant=minbase',
        '--include=asterisk,ca-certificates',
        suite,
        root,
      ]);
      await run(command, args, {
        env: debootstrap.program.env,
        timeout: bootstrapTimeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: 64 * 2 ** 20,
      });
      if (systemIn(root) === null) throw new Error('the bootstrapped Asterisk does not run');
      const place = join(folder, `${suite}-${process.arch}`);
      removeSystem(place);
      renameSync(root, place);
      const program = systemIn(place);
      if (program) return { state: 'found', program };
    } catch (error) {
      reasons.push(`${suite}: ${firstLine(error)}`);
    } finally {
      removeSystem(fresh);
    }
  }
  return missing(`Debian's Asterisk could not be brought in (${reasons.join('; ')})`);
}

/** Nevertheless never deletes across a mount point. */
function removeSystem(folder: string): void {
  spawnSync('rm', ['-rf', '--one-file-system', folder], { stdio: 'ignore' });
}

function foundAmong(folder: string): AsteriskSystem | null {
  const wanted = process.env['OUTDIAL_ASTERISK_SUITE'];
  for (const suite of suites) {
    if (wanted !== undefined && wanted !== suite) continue;
    const found = systemIn(join(folder, `${suite}-${process.arch}`));
    if (found) return found;
  }
  return null;
}

function systemIn(root: string): AsteriskSystem | null {
  if (!existsSync(join(root, 'usr/sbin/asterisk'))) return null;
  if (spawnSync('chroot', [root, '/usr/sbin/asterisk', '-V'], { stdio: 'ignore' }).status !== 0) return null;
  // With a suffix for the architecture, or without one in older versions.
  const modules = ['', ...readdirSync(join(root, 'usr/lib'))]
    .map((name) => join('/usr/lib', name, 'asterisk/modules'))
    .find((folder) => existsSync(join(root, folder)));
  return modules === undefined ? null : { root, modules };
}

/** A shell script; an environment variable names the folder with the rest of it. */
async function findDebootstrap(): Promise<Unpacked<{ command: string; env: Record<string, string> }>> {
  const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
  const installed = onPath('debootstrap');
  if (installed !== null) return { state: 'found', program: { command: installed, env: { PATH: path } } };
  return unpackPackages({
    name: 'debootstrap',
    packages: ['debootstrap'],
    foundIn(root) {
      const command = join(root, 'usr/sbin/debootstrap');
      const env = { PATH: path, DEBOOTSTRAP_DIR: join(root, 'usr/share/debootstrap') };
      return existsSync(command) ? { command, env } : null;
    },
  });
}

function missing(reason: string): { state: 'missing'; reason: string } {
  return { state: 'missing', reason };
}
