import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, type BundledFile } from './bundle.ts';
import { staticFile, type StaticFile } from './static-file.ts';

export interface ConsoleFiles {
  /** Serves every path of the console. */
  page: StaticFile;
  /** Scripts, styles and pictures by their name, which has the hash of the content. */
  assets: ReadonlyMap<string, StaticFile>;
}

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
  const assets = files.filter((file) => file !== page);
  return {
    page: await staticFile(page.name, page.bytes),
    assets: new Map(
      await Promise.all(
        assets.map(async ({ name, bytes }) => [name, await staticFile(name, bytes)] as const),
      ),
    ),
  };
}

async function readBuilt(): Promise<BundledFile[] | null> {
  const names = await readdir(builtFolder).catch(() => null);
  if (names === null) return null;
  return Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(builtFolder, name)) })));
}
