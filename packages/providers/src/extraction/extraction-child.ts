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
 * A parser allocates many short-lived objects. A large young generation keeps them from being promoted, and the old generation may grow to five times
 * its live size before a full collection. With V8's defaults, garbage collection took a third of the processor time of every third extraction. V8
 * limits this growth to half the way to the heap limit, so a file that fits is never lost.
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

/** A file that a child has received, and its future answer. */
export interface HandedFile {
  request: ExtractionRequest;
  answer: Answer;
}

/** A process that extracts one file after another. Any file may kill it. */
export class ExtractionChild {
  readonly #process: ChildProcess;
  readonly #limits: ExtractionLimits;
  /** Resolves when the process is gone, for any reason. */
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
      // Passes binary data without conversion to JSON.
      serialization: 'advanced',
      // The last pipe is parentFd. When this process dies, its end closes, and the child kills itself.
      stdio: ['pipe', 'ignore', 'ignore', 'ipc', 'pipe'],
      // The parser's heap must reach its limit before the limit of resident memory, which also counts its buffers.
      ...box.command([
        `--max-old-space-size=${Math.floor(limits.memoryMb * 0.75)}`,
        ...gcFlags(limits.memoryMb),
        ...permissionFlags,
      ]),
      // The child needs no variables of this process, least of all its secrets.
      env: {},
    });
    lowerPriority(this.#process.pid);
    this.exited = new Promise((resolve) => {
      // Not `exit`, which may come before the last message.
      for (const end of ['close', 'error']) {
        this.#process.once(end, () => {
          this.#answers.end();
          resolve();
        });
      }
    });
    // A child that dies breaks the pipe. Its exit reports the failure.
    this.#process.stdin?.on('error', () => undefined);
    this.#ready = new Promise((resolve) => {
      // The first message is `ready`.
      this.#process.once('message', () => resolve());
    });
    this.#process.on('message', (report) => {
      // Only our own code in the child writes to the channel.
      const { fileId, message, residentBytes } = report as ChildReport;
      this.#residentBytes = residentBytes;
      this.#freshBytes ||= residentBytes;
      if (this.#killed) return;
      if (this.#answers.take({ fileId, message })) return;
      this.#mixedUp = new MixedUpAnswerError();
      this.kill();
    });
  }

  /** Half of its spare memory is used. The leftovers of one file must not make the next one fail. */
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

  /** Uses SIGKILL, because a parser in a loop handles no other signal. */
  kill(): void {
    this.#killed = true;
    this.#process.kill('SIGKILL');
  }

  /** Resolves when the child can take its first file. Rejects if it ends before. */
  async ready(): Promise<void> {
    await Promise.race([this.#ready, this.#endedTooEarly()]);
  }

  /** Sends a small file. The child reads it after the files that it got before. */
  hand(request: ExtractionRequest, bytes: Uint8Array): HandedFile {
    const { fileId, answer } = this.#answers.expect(request);
    this.#say(this.#message(fileId, request, bytes));
    return { request, answer };
  }

  /** Sends a file, which the child reads only after `begin`. If this rejects, the child is gone. */
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
      // The child waits for bytes that will never come.
      this.kill();
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Starts reading the file that was sent with `feed`. */
  begin(): void {
    this.#say('begin');
  }

  /** Waits for the result of the child's oldest file, whose timeout starts now. A file that takes longer than `limitMs` is put off as slow. */
  async extract(
    { request, answer }: HandedFile,
    signal: AbortSignal,
    limitMs = Infinity,
  ): Promise<ExtractionResult> {
    const timeoutMs = this.#timeoutMs(request);
    let timedOut = false;
    const timer = setTimeout(
      () => {
        timedOut = true;
        this.kill();
      },
      Math.min(timeoutMs, limitMs),
    );
    const abort = () => this.kill();
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (signal.aborted) this.kill();
      signal.throwIfAborted();
      request.onBegin?.();
      const result =
        (await answer) ??
        (timedOut && limitMs < timeoutMs ? tooSlow : this.#failureOfExit(timedOut ? timeoutMs : null));
      signal.throwIfAborted();
      if (this.#mixedUp) throw this.#mixedUp;
      return result;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  /** Ignores a closed channel: the child is gone, and its exit reports that. */
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

  /** Writes the file to the child's standard input, no faster than the child reads it. */
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

  #timeoutMs(request: ExtractionRequest): number {
    const { timeoutMs } = this.#limits;
    return typeof timeoutMs === 'number' ? timeoutMs : timeoutMs(request);
  }

  #failureOfExit(timedOutMs: number | null): ExtractionResult {
    if (timedOutMs !== null) {
      const seconds = Math.round(timedOutMs / 1000);
      return failed('time_limit', `Reading the file took longer than ${seconds} seconds`);
    }
    const { exitCode, signalCode } = this.#process;
    // V8 aborts when its heap is full; the watchdog and the kernel send SIGKILL. A shell reports these as 134 and 137.
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

/** Lowers the priority, so that documents do not slow down calls on the same machine. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, 10);
  } catch {
    // The process has already ended, and `exited` reports that.
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
