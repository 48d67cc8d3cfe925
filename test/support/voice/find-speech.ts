import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPackages, type Unpacked } from '../debian/unpack-packages.ts';

/** A program of the unpacked packages, with its environment. */
export interface SpeechProgram {
  command: string;
  env: Record<string, string>;
}

export interface SpeechPrograms {
  /** The person's voice. */
  flite: SpeechProgram;
  /** The agent's voice. */
  espeak: SpeechProgram;
  /** The agent's speech recognition. */
  sphinx: SpeechProgram & { model: string };
}

/** Finds or unpacks Debian's flite, espeak-ng and pocketsphinx in the cache. */
export function findSpeech(): Promise<Unpacked<SpeechPrograms>> {
  return unpackPackages({
    name: 'speech',
    packages: ['flite', 'espeak-ng', 'pocketsphinx', 'pocketsphinx-en-us'],
    foundIn(root) {
      const bin = join(root, 'usr/bin');
      const model = join(root, 'usr/share/pocketsphinx/model/en-us');
      if (!['flite', 'espeak-ng', 'pocketsphinx_batch'].every((name) => existsSync(join(bin, name)))) {
        return null;
      }
      const data = librariesOf(root)
        .map((folder) => join(folder, 'espeak-ng-data'))
        .find((folder) => existsSync(folder));
      const env = {
        PATH: process.env['PATH'] ?? '',
        LD_LIBRARY_PATH: librariesOf(root).join(':'),
        ...(data !== undefined && { ESPEAK_DATA_PATH: data }),
      };
      const flite = { command: join(bin, 'flite'), env };
      if (spawnSync(flite.command, ['--version'], { env, stdio: 'ignore' }).error) return null;
      return {
        flite,
        espeak: { command: join(bin, 'espeak-ng'), env },
        sphinx: { command: join(bin, 'pocketsphinx_batch'), env, model },
      };
    },
  });
}

function librariesOf(root: string): string[] {
  return ['usr/lib', 'lib']
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [
      folder,
      ...readdirSync(folder)
        .filter((name) => name.endsWith('-linux-gnu'))
        .flatMap((name) => [
          join(folder, name),
          join(folder, name, 'pulseaudio'),
          join(folder, name, 'blas'),
          join(folder, name, 'lapack'),
        ]),
    ]);
}
