import { closeSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A log is rotated at this size. Each process has at most two. */
const logBytes = 20 * 1024 * 1024;
/** Further warnings only go to the log. */
const noticesAtMost = 8;

export interface ProcessLogs {
  write(name: string, line: string): void;
  /** The last problem that a process logged. */
  lastProblem(name: string): string | null;
  pathOf(name: string): string;
  /** From now on warnings only go to the log, because processes that shut down log errors about each other. */
  quiet(): void;
  close(): void;
}

/** Writes each process's output to a file, and keeps one older file. Also reports each warning and error once to `notice`. */
export function openProcessLogs(args: {
  folder: string;
  notice: (text: string) => void;
  /** Called for every line. */
  stream: ((name: string, line: string) => void) | null;
}): ProcessLogs {
  mkdirSync(args.folder, { recursive: true, mode: 0o700 });
  const files = new Map<string, LogFile>();
  const lastProblems = new Map<string, string>();
  const reported = new Set<string>();
  let isQuiet = false;
  const pathOf = (name: string) => join(args.folder, `${name}.log`);

  function report(name: string, problem: string) {
    lastProblems.set(name, problem);
    const line = `${name}: ${problem}`;
    if (isQuiet || args.stream !== null || reported.has(line) || reported.size >= noticesAtMost) return;
    reported.add(line);
    args.notice(`${line} (${pathOf(name)})`);
  }

  return {
    write(name, line) {
      let file = files.get(name);
      if (file === undefined) files.set(name, (file = new LogFile(pathOf(name))));
      file.write(line);
      args.stream?.(name, line);
      const problem = problemIn(line);
      if (problem !== null) report(name, problem);
    },
    lastProblem: (name) => lastProblems.get(name) ?? null,
    pathOf,
    quiet: () => (isQuiet = true),
    close: () => {
      for (const file of files.values()) file.close();
      files.clear();
    },
  };
}

/** The problem that a log line reports; null for an ordinary line. */
export function problemIn(line: string): string | null {
  if (!line.startsWith('{')) {
    // Not from our logger: an invalid environment, or Node itself.
    return /error|invalid|must |cannot/i.test(line) && !/^\s+at /.test(line) ? line.trim() : null;
  }
  if (!/"level":"(warn|error|fatal)"/.test(line)) return null;
  // Problems of a single call are not shown in the terminal.
  if (line.includes('"level":"warn"') && line.includes('"call_id"')) return null;
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null ? messageOf(entry) : null;
  } catch {
    return null;
  }
}

function messageOf(entry: object): string {
  const message = 'msg' in entry && typeof entry.msg === 'string' ? entry.msg : 'a warning';
  const err = 'err' in entry && typeof entry.err === 'object' ? entry.err : null;
  const reason = err !== null && 'message' in err && typeof err.message === 'string' ? err.message : '';
  return reason === '' ? message : `${message}: ${reason.split('\n')[0]}`;
}

class LogFile {
  readonly #path: string;
  #file: number;
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = this.#open();
  }

  write(line: string) {
    if (this.#bytes > logBytes) {
      closeSync(this.#file);
      this.#file = this.#open();
    }
    this.#bytes += writeSync(this.#file, `${line}\n`);
  }

  close() {
    closeSync(this.#file);
  }

  #open(): number {
    this.#bytes = 0;
    if (statSync(this.#path, { throwIfNoEntry: false })) renameSync(this.#path, `${this.#path}.1`);
    return openSync(this.#path, 'a', 0o600);
  }
}
