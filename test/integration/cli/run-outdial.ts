import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../support/child-environment.ts';
import type { TelephonyProvider } from '@outdial/core';
import { runCli } from '../../../packages/cli/src/program.ts';

const main = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));

export interface CliRun {
  status: number | null;
  out: string;
  err: string;
}

export interface CliSurroundings {
  env?: Record<string, string>;
  directory?: string;
  /** The input of the terminal. */
  input?: string;
  /** The adapter of every provider. */
  provider?: TelephonyProvider;
}

/** Runs a command in this process, with only the environment of the test. */
export async function runOutdial(args: readonly string[], options: CliSurroundings = {}): Promise<CliRun> {
  const directory = options.directory ?? process.cwd();
  const { provider } = options;
  let [out, err] = ['', ''];
  const status = await runCli(args, {
    env: { OUTDIAL_DATA_DIR: `${directory}/.outdial`, ...options.env },
    in: Readable.from([options.input ?? '']),
    out: { write: (text) => (out += text) },
    err: { write: (text) => (err += text) },
    isTerminal: false,
    workingDirectory: directory,
    now: () => new Date(),
    async adapterRules() {
      const rules = await import('@outdial/providers');
      return provider === undefined ? rules : { ...rules, buildProvider: () => provider };
    },
    interrupted: () => () => undefined,
  });
  return { status, out, err };
}

/** Runs a command in a separate process, as users do. */
export async function spawnOutdial(args: readonly string[], options: CliSurroundings = {}): Promise<CliRun> {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: options.directory,
    env: { ...childEnvironment, INIT_CWD: options.directory, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { status, out, err };
}
