import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '@outdial/core';
import { describeEnd, superviseProcesses, type SupervisedProcesses } from '@outdial/local';
import { z } from 'zod';

/** The real processes of a run, which can be killed and restarted. */
export interface Fleet {
  readonly names: readonly string[];
  /** The number of starts of each process. */
  readonly starts: ReadonlyMap<string, number>;
  start(name: string): void;
  /** Sends SIGKILL, and resolves when the process has ended. No-op if it does not run. */
  kill(name: string): Promise<void>;
  /** Sends SIGTERM, and resolves with the exit status. */
  terminate(name: string): Promise<{ code: number | null; signal: string | null }>;
  suspend(name: string): void;
  resume(name: string): void;
  /** Unexpected exits of processes, with their status. Like any supervisor, the fleet restarts these processes. */
  readonly ownEnds: readonly string[];
  /** Processes that exited at their start because Postgres was down, as they should. */
  readonly falseStarts: readonly string[];
  /** Lines at the levels error and fatal, by message and cause. */
  readonly errors: ReadonlyMap<string, number>;
  stopAll(): Promise<void>;
}

export interface Member {
  name: string;
  /** Below the root of the checkout. */
  program: string;
  env: Record<string, string>;
}

const pinoError = 50;

export function createFleet(args: { root: string; folder: string; members: readonly Member[] }): Fleet {
  const running = new Map<string, SupervisedProcesses>();
  const starts = new Map<string, number>();
  const errors = new Map<string, number>();
  const ownEnds: string[] = [];
  const falseStarts: string[] = [];
  const startFailed = new Set<string>();

  function onLine(name: string, line: string): void {
    appendFileSync(join(args.folder, `${name}.log`), `${line}\n`);
    const entry = readEntry(line);
    if (entry?.msg === 'could not start') startFailed.add(name);
    if (entry && entry.level >= pinoError) errors.set(entry.text, (errors.get(entry.text) ?? 0) + 1);
  }

  function signal(name: string, what: NodeJS.Signals): void {
    const pid = running.get(name)?.pids.get(name);
    if (pid === undefined || pid === 0) return;
    try {
      process.kill(pid, what);
    } catch {
      // The process has already ended.
    }
  }

  async function startAgainAfter(name: string, processes: SupervisedProcesses): Promise<void> {
    const end = await processes.unexpectedEnd;
    // Processes that the run itself ended are no longer in the list.
    if (running.get(name) !== processes) return;
    running.delete(name);
    (startFailed.delete(name) ? falseStarts : ownEnds).push(describeEnd(end));
    fleet.start(name);
  }

  const fleet: Fleet = {
    names: args.members.map((member) => member.name),
    starts,
    errors,
    ownEnds,
    falseStarts,
    start(name) {
      const member = args.members.find((one) => one.name === name);
      if (!member) throw new Error(`no process is named ${name}`);
      if (running.has(name)) return;
      startFailed.delete(name);
      starts.set(name, (starts.get(name) ?? 0) + 1);
      const processes = superviseProcesses({
        specs: [
          {
            name,
            program: join(args.root, member.program),
            env: { PATH: process.env['PATH'], ...member.env },
          },
        ],
        onLine,
      });
      running.set(name, processes);
      void startAgainAfter(name, processes);
    },
    async kill(name) {
      const processes = running.get(name);
      if (!processes) return;
      running.delete(name);
      const pid = processes.pids.get(name);
      if (pid) process.kill(pid, 'SIGKILL');
      await processes.unexpectedEnd;
    },
    async terminate(name) {
      const processes = running.get(name);
      if (!processes) return { code: null, signal: null };
      running.delete(name);
      const pid = processes.pids.get(name);
      if (pid) process.kill(pid, 'SIGTERM');
      return processes.unexpectedEnd;
    },
    suspend: (name) => signal(name, 'SIGSTOP'),
    resume: (name) => signal(name, 'SIGCONT'),
    async stopAll() {
      for (const name of running.keys()) signal(name, 'SIGCONT');
      const all = [...running.values()];
      running.clear();
      await Promise.all(all.map((processes) => processes.stop(10_000)));
    },
  };
  return fleet;
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const logEntry = z.object({
  level: z.union([z.number(), z.string().transform(levelOf)]),
  msg: z.string(),
  err: z.object({ message: z.string() }).optional().catch(undefined),
});

function readEntry(line: string): { level: number; msg: string; text: string } | null {
  const { data } = logEntry.safeParse(parseJson(line));
  if (!data) return null;
  const { level, msg, err } = data;
  return { level, msg, text: err ? `${msg}: ${err.message.replaceAll(uuid, '…').slice(0, 200)}` : msg };
}

function levelOf(name: string): number {
  return name === 'fatal' ? 60 : name === 'error' ? pinoError : 30;
}
