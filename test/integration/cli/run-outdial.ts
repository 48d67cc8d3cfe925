import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
const compileCache = join(tmpdir(), 'outdial-test-compile-cache');

export interface CliRun {
  status: number | null;
  out: string;
  err: string;
}

/** Runs the command line as its users do: a process of its own, told only what the test says. */
export async function runOutdial(
  args: readonly string[],
  options: { env?: Record<string, string>; directory?: string } = {},
): Promise<CliRun> {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: options.directory,
    env: {
      PATH: process.env['PATH'],
      INIT_CWD: options.directory,
      // Dozens of processes compile the same files.
      NODE_COMPILE_CACHE: compileCache,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { status, out, err };
}
