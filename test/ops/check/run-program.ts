import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** For `npm install`, so that a stalled download is retried within the time limit. */
export const npmTries = ['--fetch-timeout=35000', '--fetch-retries=2', '--fetch-retry-mintimeout=1000'];

/** Returns the output of the program. Rejects with the whole output if the exit status is not 0. */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<string> {
  try {
    const { stdout } = await run(program, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      timeout: 120_000,
      maxBuffer: 32 * 2 ** 20,
    });
    return stdout;
  } catch (error) {
    // execFile adds what was printed to the error.
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`.trim(), { cause: error });
  }
}
