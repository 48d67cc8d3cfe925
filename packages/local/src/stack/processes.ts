import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type KeptProcess, keepProcess } from '../supervise/keep-running.ts';
import type { ProcessEnd } from '../supervise/supervise.ts';

const programs = {
  api: 'api/src/main.ts',
  scheduler: 'scheduler/src/main.ts',
  worker: 'worker/src/main.ts',
  voice: 'packages/voice/src/main.ts',
} as const;
export type ProcessName = keyof typeof programs;
const processNames = ['api', 'scheduler', 'worker', 'voice'] as const;

/**
 * As containers have them: unless it is held, the space of new objects grows to a hundred megabytes while the api parses a million numbers, or voice
 * holds fifty calls. No slowdown was found (decision 0345).
 */
const nodeFlags: Readonly<Record<ProcessName, readonly string[]>> = {
  api: ['--max-semi-space-size=16'],
  scheduler: [],
  worker: [],
  voice: ['--max-semi-space-size=16'],
};

/** In which order they end, and how long each may be waited for before the next is asked: what a worker places is heard of last. */
const stopOrder = [
  { name: 'worker', headStartMs: 1_500 },
  { name: 'voice', headStartMs: 1_000 },
  { name: 'scheduler', headStartMs: 1_000 },
  { name: 'api', headStartMs: 0 },
] as const;

/** Within ten seconds everything has to be gone, Postgres too. */
const STOP_TIMEOUT_MS = 6_500;

type Environment = Readonly<Record<string, string | undefined>>;

export interface RunningProcesses {
  /** Fulfilled when a process ended and is not started again. */
  unexpectedEnd: Promise<ProcessEnd>;
  /** All are ready: from now on one that ends is started again. */
  keepRunning(): void;
  stop(): Promise<void>;
}

/** Starts api, scheduler and worker, and voice where it has an environment, each tied to this process. */
export function startProcesses(args: {
  environments: Readonly<Record<Exclude<ProcessName, 'voice'>, Environment>> & { voice?: Environment };
  onLine: (name: string, line: string) => void;
  notice: (text: string) => void;
}): RunningProcesses {
  const running = new Map<ProcessName, KeptProcess>();
  for (const name of processNames) {
    const env = args.environments[name];
    if (env === undefined) continue;
    const program = fileURLToPath(new URL(`../../../../${programs[name]}`, import.meta.url));
    const spec = { name, program, nodeFlags: nodeFlags[name], env };
    running.set(name, keepProcess(spec, { onLine: args.onLine, notice: args.notice }));
  }
  return {
    unexpectedEnd: Promise.race([...running.values()].map((each) => each.gaveUp)),
    keepRunning: () => running.forEach((each) => each.keepRunning()),
    stop: () => stopInOrder(running),
  };
}

async function stopInOrder(running: ReadonlyMap<ProcessName, KeptProcess>): Promise<void> {
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  const stopping: Array<Promise<void>> = [];
  for (const { name, headStartMs } of stopOrder) {
    const ended = running.get(name)?.stop(deadline - performance.now());
    if (ended === undefined) continue;
    stopping.push(ended);
    await Promise.race([ended, delay(headStartMs, undefined, { ref: false })]);
  }
  await Promise.all(stopping);
}
