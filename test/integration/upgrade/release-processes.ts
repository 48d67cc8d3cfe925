import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@outdial/local';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { childEnvironment } from '../../support/child-environment.ts';

export type Service = 'api' | 'scheduler' | 'worker';

/** One process of a release. */
export interface ReleaseProcess {
  readiness(): Promise<string>;
  /** Stops the process as an operator does. Returns its exit status. */
  stop(): Promise<number | NodeJS.Signals | null>;
  kill(): Promise<void>;
}

const started = z.object({ id: z.string() });

/** A release whose processes and command line run from `folder` with these settings. */
export type Release = ReturnType<typeof releaseIn>;

export function releaseIn(folder: string, settings: Record<string, string>) {
  const env = { ...childEnvironment, LOG_LEVEL: 'error', ...settings };
  return {
    async start(service: Service, port?: number): Promise<ReleaseProcess> {
      const at = String(port ?? (await freePort()));
      const child = spawn(process.execPath, [join(folder, service, 'src/main.ts')], {
        cwd: folder,
        env: { ...env, PORT: at, HEALTH_PORT: at },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      onTestFinished(() => end(child, 'SIGKILL'));
      return {
        async readiness() {
          const answer = await fetch(`http://127.0.0.1:${at}/readyz`).catch(() => null);
          return answer === null ? '' : `${answer.status} ${await answer.text()}`;
        },
        async stop() {
          await end(child, 'SIGTERM');
          return child.exitCode ?? child.signalCode;
        },
        kill: () => end(child, 'SIGKILL'),
      };
    },
    /** The id in the `--json` output of a command. */
    async outdial(...args: string[]): Promise<string> {
      const main = join(folder, 'packages/cli/src/main.ts');
      const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, '--json'], {
        cwd: folder,
        env,
      });
      return started.catch({ id: '' }).parse(JSON.parse(stdout)).id;
    },
  };
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}
