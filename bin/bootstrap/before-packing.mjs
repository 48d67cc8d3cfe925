/*
 * node before-packing.mjs TOOL: installs the dependencies if the tool that packs a package is missing, as in a fresh clone. Runs in the package's folder,
 * on the machine's own Node.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const [tool = ''] = process.argv.slice(2);
const folders = [process.cwd(), join(process.cwd(), '../..')];
if (!folders.some((folder) => existsSync(join(folder, 'node_modules', tool)))) {
  const { ensureInstalled } = await import('./install.mjs');
  await ensureInstalled('full');
}
