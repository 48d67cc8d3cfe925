/**
 * `npm pack` does not resolve `workspace:*`, so the package is bundled into one file without dependencies. While it is packed, package.json is the
 * published manifest; before and afterwards, the workspace's.
 */
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname;
const manifest = join(here, 'package.json');
// Not packed, because `files` does not include it.
const kept = join(here, '.package.json.source');

const [mode] = process.argv.slice(2);
if (mode === 'published') {
  rmSync(join(here, 'dist'), { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: here,
    entryPoints: ['src/main.ts'],
    outfile: 'dist/main.js',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Bundled CommonJS packages load Node's modules with `require`.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    metafile: true,
    logLevel: 'warning',
  });
  writeFileSync(join(here, 'dist/LICENSES.txt'), licensesOf(Object.keys(metafile.inputs)));
  // An interrupted pack has left the source manifest there.
  if (!existsSync(kept)) copyFileSync(manifest, kept);
  const content = JSON.parse(readFileSync(manifest, 'utf8'));
  for (const field of ['dependencies', 'devDependencies', 'exports']) delete content[field];
  writeFileSync(manifest, `${JSON.stringify(content, null, 2)}\n`);
} else if (mode === 'source') {
  renameSync(kept, manifest);
} else {
  throw new Error('name the manifest: published or source');
}

/** The licenses of the bundled packages, which require a copy with their code. */
function licensesOf(paths) {
  const folders = new Set(paths.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const texts = [...folders].map((folder) => {
    const path = join(here, folder);
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const file = readdirSync(path).find((each) => /^licen[cs]e/i.test(each));
    return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(join(path, file), 'utf8').trim()}\n`;
  });
  return texts.toSorted().join('\n----\n\n');
}
