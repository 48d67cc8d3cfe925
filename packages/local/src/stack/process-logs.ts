import { closeSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A log is turned over at this size; with the one before it, a process takes twice as much at most. */
const LOG_BYTES = 20 * 1024 * 1024;
/** More different warnings than these are for the log only. */
const NOTICES_AT_MOST = 8;

export interface ProcessLogs {
  write(name: string, line: string): void;
  /** The last complaint of a process, for the person who wonders why it ended. */
  lastWords(name: string): string | null;
  pathOf(name: string): string;
  /** From now on warnings go to the log only: things that end complain about each other. */
  quiet(): void;
  close(): void;
}

/**
 * Keeps what the processes log, a file each, one older file beside it. Warnings and errors are told to `notice` as well, each kind
 * once.
 */
export function openProcessLogs(args: {
  folder: string;
  notice: (text: string) => void;
  /** Gets every line. */
  stream: ((name: string, line: string) => void) | null;
}): ProcessLogs {
  mkdirSync(args.folder, { recursive: true, mode: 0o700 });
  const files = new Map<string, LogFile>();
  const lastWords = new Map<string, string>();
  const told = new Set<string>();
  let isQuiet = false;
  const pathOf = (name: string) => join(args.folder, `${name}.log`);

  function complain(name: string, text: string) {
    lastWords.set(name, text);
    const kind = `${name}: ${text}`;
    if (isQuiet || args.stream !== null || told.has(kind) || told.size >= NOTICES_AT_MOST) return;
    told.add(kind);
    args.notice(`${kind} (${pathOf(name)})`);
  }

  return {
    write(name, line) {
      let file = files.get(name);
      if (file === undefined) files.set(name, (file = new LogFile(pathOf(name))));
      file.write(line);
      args.stream?.(name, line);
      const complaint = complaintIn(line);
      if (complaint !== null) complain(name, complaint);
    },
    lastWords: (name) => lastWords.get(name) ?? null,
    pathOf,
    quiet: () => (isQuiet = true),
    close: () => {
      for (const file of files.values()) file.close();
      files.clear();
    },
  };
}

/** The problem that a log line reports; null for an ordinary line. */
export function complaintIn(line: string): string | null {
  if (!line.startsWith('{')) {
    // Not from our logger: a fault of the environment, or Node itself.
    return /error|invalid|must |cannot|not right/i.test(line) && !/^\s+at /.test(line) ? line.trim() : null;
  }
  if (!/"level":"(warn|error|fatal)"/.test(line)) return null;
  // Problems of a single call are not shown in the terminal.
  if (line.includes('"level":"warn"') && line.includes('"call_id"')) return null;
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null ? wordsOf(entry) : null;
  } catch {
    return null;
  }
}

function wordsOf(entry: object): string {
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
    if (this.#bytes > LOG_BYTES) {
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
