import { type ChildProcess, fork } from 'node:child_process';
import type { Writable } from 'node:stream';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ExtractionRequest, ExtractionResult } from '@outdial/core';
import { type Answer, Answers, MixedUpAnswerError } from './answers.ts';
import { type Box, permissionFlags } from './box/box.ts';
import { FileSizeError } from './file-size-error.ts';
import type { ExtractionLimits } from './limits.ts';
import type { ChildReport, ExtractMessage } from './messages.ts';

/**
 * A parser makes much that lives shortly: a large nursery keeps it from being taken for something that stays, and the rest may grow to
 * five times of what was alive before all of it is gone through. With V8's defaults a third of the processor's time of an extraction
 * went into that, every third file. Growth ends half way to the heap's limit by V8's own rule, so that no file that fits is lost.
 */
function gcFlags(memoryMb: number): string[] {
  const nurseryMb = Math.max(2, Math.floor(memoryMb / 12));
  return [
    `--max-semi-space-size=${nurseryMb}`,
    `--min-semi-space-size=${Math.ceil(nurseryMb / 2)}`,
    '--heap-growing-percent=400',
  ];
}

const entry = fileURLToPath(new URL('child/main.ts', import.meta.url));

/** A file that a child has got, and what it will say of it. */
export interface HandedFile {
  request: ExtractionRequest;
  answer: Answer;
}

/** One process that extracts one file after another, and may die in any of them. */
export class ExtractionChild {
  readonly #process: ChildProcess;
  readonly #limits: ExtractionLimits;
  /** Resolves when the process is gone, however it went. */
  readonly exited: Promise<void>;
  #killed = false;
  #freshBytes = 0;
  #residentBytes = 0;
  readonly #ready: Promise<void>;
  readonly #answers = new Answers();
  #mixedUp: MixedUpAnswerError | undefined;

  constructor(limits: ExtractionLimits, box: Box) {
    this.#limits = limits;
    this.#process = fork(entry, [String(limits.memoryMb)], {
      // Binary text goes through the channel as it is.
      serialization: 'advanced',
      // The last is PARENT_FD: the child is killed when this process, and with it this end, is gone.
      stdio: ['pipe', 'ignore', 'ignore', 'ipc', 'pipe'],
      // The parser's own heap must hit its wall before the resident limit, which also counts its buffers.
      ...box.command([
        `--max-old-space-size=${Math.floor(limits.memoryMb * 0.75)}`,
        ...gcFlags(limits.memoryMb),
        ...permissionFlags,
      ]),
      // It needs nothing of this process's environment, least of all its secrets.
      env: {},
    });
    giveWay(this.#process.pid);
    this.exited = new Promise((resolve) => {
      // Not `exit`, which may come before the last that it has said.
      for (const end of ['close', 'error']) {
        this.#process.once(end, () => {
          this.#answers.end();
          resolve();
        });
      }
    });
    // Bytes that are written to a child that died in the middle: the exit says it all.
    this.#process.stdin?.on('error', () => undefined);
    this.#ready = new Promise((resolve) => {
      // The first thing that it says.
      this.#process.once('message', () => resolve());
    });
    this.#process.on('message', (report) => {
      // Only the child's own code writes to the channel.
      const { fileId, message, residentBytes } = report as ChildReport;
      this.#residentBytes = residentBytes;
      this.#freshBytes ||= residentBytes;
      if (this.#killed) return;
      if (this.#answers.take({ fileId, message })) return;
      this.#mixedUp = new MixedUpAnswerError();
      this.kill();
    });
  }

  /** Half of the memory that it had to spare is gone: what a file leaves behind must not be charged to the next one. */
  get isBloated(): boolean {
    return this.#residentBytes > (this.#freshBytes + this.#limits.memoryMb * 1024 * 1024) / 2;
  }

  get alive(): boolean {
    return (
      !this.#killed &&
      this.#process.exitCode === null &&
      this.#process.signalCode === null &&
      this.#process.connected
    );
  }

  /** At once: a parser in a loop handles no other signal. */
  kill(): void {
    this.#killed = true;
    this.#process.kill('SIGKILL');
  }

  /** Resolves when it can take its first file; rejects where it ends before. */
  async ready(): Promise<void> {
    await Promise.race([this.#ready, this.#endedTooEarly()]);
  }

  /** Hands over a small file, which is read as soon as those are that were handed over before. */
  hand(request: ExtractionRequest, bytes: Uint8Array): HandedFile {
    const { fileId, answer } = this.#answers.expect(request);
    this.#say(this.#message(fileId, request, bytes));
    return { request, answer };
  }

  /** Hands over a file, which is read only when `begin` says so. Where this rejects, the child is gone. */
  async feed(
    request: ExtractionRequest,
    bytes: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<HandedFile> {
    const abort = () => this.kill();
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      const { fileId, answer } = this.#answers.expect(request);
      this.#say(this.#message(fileId, request, null));
      await this.#write(request.sizeBytes, bytes);
      signal.throwIfAborted();
      return { request, answer };
    } catch (error) {
      // It waits for bytes that never come.
      this.kill();
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Has the file read that it was fed with. */
  begin(): void {
    this.#say('begin');
  }

  /** The result of the oldest file in the queue, whose time runs from now on. A file that takes longer than `hurryMs` is too slow. */
  async extract(
    { request, answer }: HandedFile,
    signal: AbortSignal,
    hurryMs = Infinity,
  ): Promise<ExtractionResult> {
    const { timeoutMs } = this.#limits;
    let timedOut = false;
    const timer = setTimeout(
      () => {
        timedOut = true;
        this.kill();
      },
      Math.min(timeoutMs, hurryMs),
    );
    const abort = () => this.kill();
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (signal.aborted) this.kill();
      signal.throwIfAborted();
      request.onBegin?.();
      const result = (await answer) ?? (timedOut && hurryMs < timeoutMs ? tooSlow : this.#obituary(timedOut));
      signal.throwIfAborted();
      if (this.#mixedUp) throw this.#mixedUp;
      return result;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  /** A channel that closes under it means that the child is gone, and its exit says so. */
  #say(message: ExtractMessage | 'begin'): void {
    if (this.alive) this.#process.send(message, () => undefined);
  }

  async #endedTooEarly(): Promise<never> {
    await this.exited;
    throw new Error('an extraction process ended while it started');
  }

  #message(
    fileId: number,
    { fileType, sizeBytes }: ExtractionRequest,
    bytes: Uint8Array | null,
  ): ExtractMessage {
    const { maxPages, maxTextChars } = this.#limits;
    return { fileId, fileType, sizeBytes, bytes, limits: { maxPages, maxTextChars } };
  }

  /** Writes the file into the child's standard input, no faster than it is taken. */
  async #write(sizeBytes: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const { stdin } = this.#process;
    if (!stdin) throw new Error('the extraction process has no standard input');
    let written = 0;
    for await (const chunk of bytes) {
      if (!this.alive) return;
      written += chunk.length;
      if (written > sizeBytes) break;
      if (!stdin.write(chunk)) await Promise.race([drained(stdin), this.exited]);
    }
    if (written !== sizeBytes) throw new FileSizeError(sizeBytes, written);
  }

  #obituary(timedOut: boolean): ExtractionResult {
    if (timedOut) {
      const seconds = Math.round(this.#limits.timeoutMs / 1000);
      return failed('time_limit', `The file took longer than ${seconds} seconds to read and was given up`);
    }
    const { exitCode, signalCode } = this.#process;
    // V8 aborts when its heap is full; the watchdog and the system send SIGKILL. A shell reports them as 134 and 137.
    if (signalCode === 'SIGABRT' || signalCode === 'SIGKILL' || exitCode === 134 || exitCode === 137) {
      return failed(
        'memory_limit',
        `The file needs more than ${this.#limits.memoryMb} MB of memory to be read`,
      );
    }
    return failed('crashed', 'The file made the PDF reader crash');
  }
}

const tooSlow: ExtractionResult = { kind: 'put_off', isSlow: true };

/** Calls come before documents, wherever the two share processors. */
function giveWay(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, 10);
  } catch {
    // It has ended already, which is told elsewhere.
  }
}

function failed(code: 'time_limit' | 'memory_limit' | 'crashed', message: string): ExtractionResult {
  return { kind: 'failed', failure: { code, message } };
}

function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    stream.once('drain', resolve);
  });
}
