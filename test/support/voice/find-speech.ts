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

/** Finds flite, espeak-ng and pocketsphinx in the cache or on this system, or unpacks Debian's in the cache. */
export function findSpeech(): Promise<Unpacked<SpeechPrograms>> {
  return unpackPackages({
    name: 'speech',
    packages: ['flite', 'espeak-ng', 'pocketsphinx', 'pocketsphinx-en-us'],
    // The distribution may no longer offer a version that is installed.
    foundIn: (unpacked) => speechIn([unpacked, '/']),
  });
}

/** Each program in the first of these systems that has it. Null if one is missing, or does not run. */
export function speechIn(roots: readonly string[]): SpeechPrograms | null {
  const inFirst = (path: string) => roots.find((root) => existsSync(join(root, path)));
  const program = (name: string): SpeechProgram | null => {
    const root = inFirst(join('usr/bin', name));
    return root === undefined ? null : { command: join(root, 'usr/bin', name), env: environmentOf(root) };
  };
  const [flite, espeak, sphinx] = [program('flite'), program('espeak-ng'), program('pocketsphinx_batch')];
  const modelPath = 'usr/share/pocketsphinx/model/en-us';
  const model = inFirst(modelPath);
  if (flite === null || espeak === null || sphinx === null || model === undefined) return null;
  if (spawnSync(flite.command, ['--version'], { env: flite.env, stdio: 'ignore' }).error) return null;
  return { flite, espeak, sphinx: { ...sphinx, model: join(model, modelPath) } };
}

function environmentOf(root: string): Record<string, string> {
  const libraries = librariesOf(root);
  const data = libraries.map((folder) => join(folder, 'espeak-ng-data')).find((folder) => existsSync(folder));
  return {
    PATH: process.env['PATH'] ?? '',
    ...(root !== '/' && { LD_LIBRARY_PATH: libraries.join(':') }),
    ...(data !== undefined && { ESPEAK_DATA_PATH: data }),
  };
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
