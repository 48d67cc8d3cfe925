import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, type BundledFile } from './bundle.ts';
import { consoleFile, type ConsoleFiles } from './console-file.ts';

/** The folder of files that were bundled when the image was built; empty in a work tree. */
export const builtFolder = fileURLToPath(new URL('../../dist', import.meta.url));

let known: Promise<ConsoleFiles> | undefined;

/** The files of the console: prebuilt, or bundled once per process. */
export function consoleFiles(): Promise<ConsoleFiles> {
  known ??= load();
  known.catch(() => {
    known = undefined;
  });
  return known;
}

async function load(): Promise<ConsoleFiles> {
  const files = (await readBuilt()) ?? (await bundle());
  const page = files.find(({ name }) => name === 'index.html');
  if (page === undefined) throw new Error('the console has no page');
  return {
    page: consoleFile(page.name, page.bytes),
    assets: new Map(
      files.filter((file) => file !== page).map(({ name, bytes }) => [name, consoleFile(name, bytes)]),
    ),
  };
}

async function readBuilt(): Promise<BundledFile[] | null> {
  const names = await readdir(builtFolder).catch(() => null);
  if (names === null) return null;
  return Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(builtFolder, name)) })));
}
