/**
 * `npm pack` ignores `publishConfig.exports`, which pnpm reads: it would pack a package that points to sources it does not have. So the exports are those of
 * the published package while it is packed, and those of the workspace afterwards.
 */
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const manifest = new URL('package.json', import.meta.url);
// Not packed, because `files` does not include it.
const kept = new URL('.package.json.source', import.meta.url);

const [mode] = process.argv.slice(2);
if (mode === 'published') {
  copyFileSync(manifest, kept);
  const content = JSON.parse(readFileSync(manifest, 'utf8'));
  content.exports = content.publishConfig.exports;
  writeFileSync(manifest, `${JSON.stringify(content, null, 2)}\n`);
} else if (mode === 'source') {
  renameSync(kept, manifest);
} else {
  throw new Error('name the exports: published or source');
}
