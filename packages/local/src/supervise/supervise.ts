import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** One of our programs, to run as a separate process. */
export interface ProcessSpec {
  name: string;
  /** Its `main.ts`. */
  program: string;
  nodeFlags?: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

export interface ProcessEnd {
  name: string;
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface SupervisedProcesses {
  /** By name. */
  pids: ReadonlyMap<string, number>;
  /** Resolves with the first process that exits without having been told to. None is restarted. */
  unexpectedEnd: Promise<ProcessEnd>;
  /** Asks all processes to exit, and kills them after the timeout. Safe to call twice. */
  stop(timeoutMs: number): Promise<void>;
}

const parentWatchdog = new URL('../parent-watchdog/parent-watchdog.ts', import.meta.url).href;

/**
 * Starts the processes. Each shuts down when this process ends, even if it is killed. They run in separate sessions, so that Ctrl-C only
 * reaches this process, which stops them in order.
 */
export function superviseProcesses(options: {
  specs: readonly ProcessSpec[];
  /** Called for each line of a process's stdout and stderr. */
  onLine: (name: string, line: string) => void;
}): SupervisedProcesses {
  const unexpected = Promise.withResolvers<ProcessEnd>();
  let isStopping = false;

  const running = options.specs.map((spec) => {
    const flags = ['--import', parentWatchdog, ...(spec.nodeFlags ?? [])];
    const child = spawn(process.execPath, [...flags, spec.program], {
      detached: true,
      env: { ...spec.env, OUTDIAL_PARENT_PIPE_FD: '3' },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const onLine = (line: string) => options.onLine(spec.name, line);
    forEachLine(child.stdout, onLine);
    forEachLine(child.stderr, onLine);
    const ended = new Promise<void>((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null) => {
        if (!isStopping) unexpected.resolve({ name: spec.name, code, signal });
        resolve();
      };
      child.once('close', end);
      child.once('error', (error) => {
        onLine(error.message);
        end(null, null);
      });
    });
    return { name: spec.name, child, ended };
  });

  return {
    pids: new Map(running.map(({ name, child }) => [name, child.pid ?? 0])),
    unexpectedEnd: unexpected.promise,
    stop: async (timeoutMs) => {
      isStopping = true;
      for (const { child } of running) child.kill('SIGTERM');
      const force = setTimeout(() => running.forEach(({ child }) => kill(child)), timeoutMs);
      await Promise.all(running.map(({ ended }) => ended));
      clearTimeout(force);
    },
  };
}

export function describeEnd({ name, code, signal }: ProcessEnd): string {
  return `The ${name} process ended unexpectedly (${signal ?? `status ${code}`}).`;
}

function forEachLine(stream: Readable | null, onLine: (line: string) => void) {
  if (stream) createInterface({ input: stream }).on('line', onLine);
}

function kill(child: ChildProcess) {
  child.kill('SIGKILL');
  // Its children may hold its pipes open, which would delay `close`.
  child.stdout?.destroy();
  child.stderr?.destroy();
}
