import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ProcessEnd } from '../supervise/supervise.ts';
import { type WatchedProcess, watchProcess } from '../supervise/watch-process.ts';

const programs = {
  api: 'api/src/main.ts',
  scheduler: 'scheduler/src/main.ts',
  worker: 'worker/src/main.ts',
  voice: 'packages/voice/src/main.ts',
} as const;
export type ProcessName = keyof typeof programs;
const processNames = ['api', 'scheduler', 'worker', 'voice'] as const;

/**
 * The same as in containers. Without a limit, the space of new objects grows to a hundred megabytes while the api parses a million numbers or
 * voice holds fifty calls (docs/decisions/voice-processes.md).
 */
const nodeFlags: Readonly<Record<ProcessName, readonly string[]>> = {
  api: ['--max-semi-space-size=16'],
  scheduler: [],
  worker: [],
  voice: ['--max-semi-space-size=16'],
};

/** The order of the stop, and how long each process may take before the next is asked. The api stops last, since it receives the events of calls. */
const stopOrder = [
  { name: 'worker', headStartMs: 1_500 },
  { name: 'voice', headStartMs: 1_000 },
  { name: 'scheduler', headStartMs: 1_000 },
  { name: 'api', headStartMs: 0 },
] as const;

/** Leaves Postgres time to stop within ten seconds in all. */
const stopTimeoutMs = 6_500;

type Environment = Readonly<Record<string, string | undefined>>;

export interface RunningProcesses {
  /** Resolves when a process has exited and will not be restarted. */
  unexpectedEnd: Promise<ProcessEnd>;
  /** Restarts processes from now on, because all have become ready. */
  keepRunning(notice: (text: string) => void): void;
  stop(): Promise<void>;
}

/** Starts api, scheduler and worker, and voice if it has an environment. Each ends with this process. */
export function startProcesses(args: {
  environments: Readonly<Record<Exclude<ProcessName, 'voice'>, Environment>> & { voice?: Environment };
  onLine: (name: string, line: string) => void;
}): RunningProcesses {
  const running = new Map<ProcessName, WatchedProcess>();
  for (const name of processNames) {
    const env = args.environments[name];
    if (env === undefined) continue;
    const program = fileURLToPath(new URL(`../../../../${programs[name]}`, import.meta.url));
    const spec = { name, program, nodeFlags: nodeFlags[name], env };
    running.set(name, watchProcess(spec, { onLine: args.onLine }));
  }
  return {
    unexpectedEnd: Promise.race([...running.values()].map((each) => each.gaveUp)),
    keepRunning: (notice) => running.forEach((each) => each.keepRunning(notice)),
    stop: () => stopInOrder(running),
  };
}

async function stopInOrder(running: ReadonlyMap<ProcessName, WatchedProcess>): Promise<void> {
  const deadline = performance.now() + stopTimeoutMs;
  const stopping: Array<Promise<void>> = [];
  for (const { name, headStartMs } of stopOrder) {
    const ended = running.get(name)?.stop(deadline - performance.now());
    if (ended === undefined) continue;
    stopping.push(ended);
    await Promise.race([ended, delay(headStartMs, undefined, { ref: false })]);
  }
  await Promise.all(stopping);
}
