import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const nodeModules = join(root, 'node_modules');
/** Records what is installed. It is in node_modules, so that it is removed together with them. */
export const marker = join(nodeModules, '.outdial-installed.json');
export const installLock = join(root, '.cache/install.lock');
export const installLog = join(root, '.cache/install.log');
/** Node's cache of compiled modules, which it skips if it cannot write there. */
export const compileCache = join(root, '.cache/compiled');
export const parentWatchdog = join(root, 'packages/local/src/parent-watchdog/parent-watchdog.ts');
