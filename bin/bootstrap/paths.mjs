import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const nodeModules = join(root, 'node_modules');
/** Says what is installed; it lies in node_modules, so that removing those removes it too. */
export const marker = join(nodeModules, '.outdial-installed.json');
export const installLock = join(root, '.cache/install.lock');
export const installLog = join(root, '.cache/install.log');
/** Node keeps modules here that it has compiled, and does without where it may not write. */
export const compileCache = join(root, '.cache/compiled');
export const parentWatchdog = join(root, 'packages/local/src/parent-watchdog/parent-watchdog.ts');
