import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Unpacked, unpackPackages, withLibraries } from '../debian/unpack-packages.ts';

export interface ChromiumProgram {
  command: string;
  env: Record<string, string>;
}

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Finds Chromium on the PATH, or unpacks Debian's package into `.cache/chromium`. */
export async function findChromium(): Promise<Unpacked<ChromiumProgram>> {
  const path = process.env['PATH'] ?? '';
  for (const folder of path.split(delimiter).filter((name) => name !== '')) {
    for (const name of names) {
      const command = join(folder, name);
      const program = { command, env: { PATH: path } };
      // Ubuntu's script of that name only prints where to get Chromium.
      if (isExecutable(command) && runs(program)) return { state: 'found', program };
    }
  }
  return unpackPackages({
    name: 'chromium',
    packages: ['chromium', 'fonts-liberation', 'fontconfig-config'],
    foundIn: unpackedIn,
  });
}

function unpackedIn(root: string): ChromiumProgram | null {
  const command = join(root, 'usr/lib/chromium/chromium');
  if (!existsSync(command)) return null;
  const hasFonts = existsSync('/etc/fonts/fonts.conf');
  const program = {
    command,
    env: { ...withLibraries(root), ...(hasFonts ? {} : { FONTCONFIG_SYSROOT: root }) },
  };
  return runs(program) ? program : null;
}

function runs({ command, env }: ChromiumProgram): boolean {
  const { status, stdout } = spawnSync(command, ['--version'], { env, encoding: 'utf8', timeout: 20_000 });
  return status === 0 && /\d+\.\d+/.test(stdout);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
