import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPackages, withLibraries, type Unpacked } from '../debian/unpack-packages.ts';
import { onPath } from './find-program.ts';

export interface Sipp {
  command: string;
  env: Record<string, string>;
}

/** Finds sipp (Debian's `sip-tester`) on the PATH, or unpacks it into the cache. */
export async function findSipp(): Promise<Unpacked<Sipp>> {
  const installed = onPath('sipp');
  if (installed !== null) {
    return { state: 'found', program: { command: installed, env: { PATH: process.env['PATH'] ?? '' } } };
  }
  return unpackPackages({ name: 'sipp', packages: ['sip-tester'], foundIn });
}

function foundIn(root: string): Sipp | null {
  const command = join(root, 'usr/bin/sipp');
  if (!existsSync(command)) return null;
  const env = withLibraries(root);
  // It exits with 99 after printing its version.
  const said = spawnSync(command, ['-v'], { env, encoding: 'utf8' });
  return said.stdout?.includes('SIPp') ? { command, env } : null;
}
