import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { processLock } from '../../packages/local/src/lock/process-lock.mjs';
import { BootstrapError } from './bootstrap-error.mjs';
import { installLock, installLog, marker, nodeModules, root } from './paths.mjs';

const REPORT_EVERY_MS = 15_000;

/**
 * Installs the dependencies that the lockfile names, unless this lockfile is installed already.
 * @param {'prod' | 'full'} needs `full` has the development dependencies too. What is there is never made
 *   less: a start after a test leaves the test's dependencies in place.
 */
export async function ensureInstalled(needs) {
  const lockfile = fingerprint();
  if (isInstalled(lockfile, needs)) return;

  let lock;
  try {
    lock = await processLock(installLock, (pid) =>
      console.error(`outdial: waiting for process ${pid}, which installs the dependencies`),
    );
  } catch (error) {
    throw new BootstrapError(`The dependencies cannot be installed in ${root}: ${error.message}`);
  }
  try {
    if (isInstalled(lockfile, needs)) return;
    const level = needs === 'full' || installedLevel() === 'full' ? 'full' : 'prod';
    rmSync(marker, { force: true });
    await install(level);
    const fresh = `${marker}.${process.pid}`;
    writeFileSync(fresh, JSON.stringify({ lockfile, level }));
    renameSync(fresh, marker);
  } finally {
    lock.release();
  }
}

async function install(level) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  const what = level === 'full' ? 'all dependencies' : 'the production dependencies';
  console.error(`outdial: installing ${what} (a minute the first time)`);
  const report = setInterval(
    () => console.error(`outdial: still installing (${seconds()} s)`),
    REPORT_EVERY_MS,
  );
  try {
    const status = await runPnpm(level);
    if (status !== 0) {
      const reason = namedFault();
      throw new BootstrapError(
        `The dependencies could not be installed${reason ? ` (${reason})` : ''}; the log is ${installLog}`,
      );
    }
  } finally {
    clearInterval(report);
  }
  console.error(`outdial: installed in ${seconds()} s`);
}

/** pnpm's output goes to the log: it is needed only when the installation fails. */
function runPnpm(level) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [program, before] = npx();
  const args = ['--yes', packageManager, 'install', '--frozen-lockfile', '--reporter=append-only'];
  // pnpm makes a folder of another version again, and asks first; without a terminal its question would fail.
  args.push('--config.confirmModulesPurge=false');
  // The packages that may run an install script are named in pnpm-workspace.yaml, and have to.
  args.push('--config.ignoreScripts=false');
  if (level === 'prod') args.push('--prod');

  mkdirSync(dirname(installLog), { recursive: true });
  const log = openSync(installLog, 'w', 0o600);
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...before, ...args], {
      cwd: root,
      env: installEnvironment(),
      stdio: ['ignore', log, log],
      shell: process.platform === 'win32' && before.length === 0,
    });
    // Ctrl-C reaches the child directly; a signal to this process alone has to be passed on.
    const pass = (signal) => {
      child.kill(signal);
      process.off(signal, pass);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, pass);
    child.on('error', (error) => reject(new BootstrapError(`npx could not be run: ${error.message}`)));
    child.on('exit', (code, signal) => {
      for (const each of signals) process.off(each, pass);
      resolve(code ?? signal);
    });
  }).finally(() => closeSync(log));
}

/** npx as npm has it, where npm started us, so that it runs on this very Node; else the one of the PATH. */
function npx() {
  const npm = process.env.npm_execpath;
  const beside = npm && npm.endsWith('npm-cli.js') ? join(dirname(npm), 'npx-cli.js') : null;
  if (beside && existsSync(beside)) return [process.execPath, [beside]];
  return ['npx', []];
}

/**
 * npm hands its settings to its children as variables. Those that would leave dependencies out are dropped;
 * which ones are wanted is said above. The rest (registry, proxy, certificates) stays.
 */
function installEnvironment() {
  const dropped =
    /^(NODE_ENV|npm_config_(production|omit|include|only|dev|optional|ignore_scripts|global|prefix|dry_run|loglevel))$/i;
  const kept = Object.entries(process.env).filter(([name]) => !dropped.test(name));
  const env = Object.fromEntries(kept);
  // Scripts of packages call `node`: this one, and not an older one of the PATH.
  env.PATH = [dirname(process.execPath), process.env.PATH].filter(Boolean).join(delimiter);
  return env;
}

/** The lockfile and what else decides what is installed. Another system's binaries are another installation. */
function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function isInstalled(lockfile, needs) {
  try {
    const installed = JSON.parse(readFileSync(marker, 'utf8'));
    return installed.lockfile === lockfile && (installed.level === 'full' || needs === 'prod');
  } catch {
    return false;
  }
}

/** How much was installed before, by us or by a `pnpm install` by hand; null if nothing was. */
function installedLevel() {
  try {
    return JSON.parse(readFileSync(marker, 'utf8')).level;
  } catch {
    // vitest is a development dependency of the root: where it lies, all of them were wanted.
    return existsSync(join(nodeModules, 'vitest')) ? 'full' : null;
  }
}

/** The first line of the log that names a fault: npm and pnpm explain it in the lines after. */
function namedFault() {
  const lines = readFileSync(installLog, 'utf8').split('\n');
  const fault =
    lines.find((line) => /\w*Error: |ERR_PNPM/.test(line)) ?? lines.find((line) => /error/i.test(line));
  return (
    fault
      ?.replace(/^npm error /, '')
      .trim()
      .slice(0, 200) ?? null
  );
}
