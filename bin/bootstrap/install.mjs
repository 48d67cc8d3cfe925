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

const reportEveryMs = 15_000;

/**
 * Installs the dependencies of the lockfile, unless they are installed already.
 * @param {'prod' | 'full'} needs `full` includes the development dependencies. They are never removed: a start after a test leaves those of
 *   the test in place.
 */
export async function ensureInstalled(needs) {
  const lockfile = fingerprint();
  if (isInstalled(lockfile, needs)) return;

  let lock;
  try {
    lock = await processLock(installLock, (pid) =>
      console.error(`outdial: waiting for process ${pid} to install the dependencies`),
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
    reportEveryMs,
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

/** pnpm's output goes to a log, because it only matters if the installation fails. */
function runPnpm(level) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [program, before] = npx();
  const args = ['--yes', packageManager, 'install', '--frozen-lockfile', '--reporter=append-only'];
  // pnpm would ask before it replaces the modules of another version, and fail without a terminal.
  args.push('--config.confirmModulesPurge=false');
  // pnpm-workspace.yaml lists the packages whose install scripts have to run.
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
    // Ctrl-C reaches the child directly, but a signal to this process alone does not.
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

/** If npm started us, uses its npx on this Node; otherwise the npx on the PATH. */
function npx() {
  const npm = process.env.npm_execpath;
  const beside = npm && npm.endsWith('npm-cli.js') ? join(dirname(npm), 'npx-cli.js') : null;
  if (beside && existsSync(beside)) return [process.execPath, [beside]];
  return ['npx', []];
}

/** npm passes its settings to child processes as variables. Drops those that would leave out dependencies, and keeps registry, proxy and so on. */
function installEnvironment() {
  const dropped =
    /^(NODE_ENV|npm_config_(production|omit|include|only|dev|optional|ignore_scripts|global|prefix|dry_run|loglevel))$/i;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !dropped.test(name)));
  // Install scripts must use this Node, not an older one on the PATH.
  env.PATH = [dirname(process.execPath), process.env.PATH].filter(Boolean).join(delimiter);
  return env;
}

/** Covers everything that decides what is installed, including the platform of binaries. */
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

/** What is installed, by us or by a manual `pnpm install`; null for nothing. */
function installedLevel() {
  try {
    return JSON.parse(readFileSync(marker, 'utf8')).level;
  } catch {
    // vitest is a development dependency of the root, so its presence means a full installation.
    return existsSync(join(nodeModules, 'vitest')) ? 'full' : null;
  }
}

/** The first line of the log that names a fault. */
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
