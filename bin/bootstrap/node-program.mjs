import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BootstrapError } from './bootstrap-error.mjs';
import { nodeModules } from './paths.mjs';

/** The first version that runs TypeScript sources directly. */
const oldestMajor = 24;

/** A Node that can run the sources: this one, or else that of the npm package `node`. */
export function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= oldestMajor) return process.execPath;
  // Not the script in .bin, which would intercept signals.
  const manifest = join(nodeModules, 'node/package.json');
  const bundled =
    existsSync(manifest) && join(nodeModules, 'node', JSON.parse(readFileSync(manifest, 'utf8')).bin.node);
  if (bundled && existsSync(bundled)) return bundled;
  throw new BootstrapError(
    `Node ${process.versions.node} is too old, and the npm package of Node ${oldestMajor} is missing. ` +
      `Remove node_modules and try again, or install Node ${oldestMajor} or newer.`,
  );
}
