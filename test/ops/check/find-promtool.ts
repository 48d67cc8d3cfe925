import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from '../../support/asterisk/find-program.ts';
import { type Unpacked, unpackPackages, withLibraries } from '../../support/debian/unpack-packages.ts';

export interface Promtool {
  path: string;
  env?: Record<string, string>;
}

/** Finds promtool on the PATH, or unpacks Debian's package without installing it. */
export async function findPromtool({ fetches = true } = {}): Promise<Unpacked<Promtool>> {
  const own = onPath('promtool');
  if (own !== null) return { state: 'found', program: { path: own } };
  return unpackPackages({
    name: 'prometheus',
    packages: ['prometheus'],
    fetches,
    foundIn: (root) => {
      const path = join(root, 'usr/bin/promtool');
      return existsSync(path) ? { path, env: withLibraries(root) } : null;
    },
  });
}
