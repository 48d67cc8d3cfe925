import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPackages, withLibraries, type Unpacked } from '../debian/unpack-packages.ts';
import { onPath } from './find-program.ts';

export interface Sipp {
  command: string;
  env: Record<string, string>;
}

/** sipp (Debian's `sip-tester`): of the PATH, or unpacked beside the project. */
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
  // It ends with 99 after it has said its version.
  const said = spawnSync(command, ['-v'], { env, encoding: 'utf8' });
  return said.stdout?.includes('SIPp') ? { command, env } : null;
}
