import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BootstrapError } from './bootstrap-error.mjs';
import { nodeModules } from './paths.mjs';

/** From here on Node runs TypeScript sources as they are. */
const OLDEST_MAJOR = 24;

/** A Node that can run the sources: this one, or else the one that the npm package `node` brought. */
export function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_MAJOR) return process.execPath;
  // The program itself, and not the script in .bin, which would stand between us and its signals.
  const manifest = join(nodeModules, 'node/package.json');
  const bundled =
    existsSync(manifest) && join(nodeModules, 'node', JSON.parse(readFileSync(manifest, 'utf8')).bin.node);
  if (bundled && existsSync(bundled)) return bundled;
  throw new BootstrapError(
    `This is Node ${process.versions.node}, and the one that should have been installed (Node ${OLDEST_MAJOR}) is missing. ` +
      `Remove node_modules and try again, or install Node ${OLDEST_MAJOR} or newer.`,
  );
}
