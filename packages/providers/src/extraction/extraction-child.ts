import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ExtractionRequest, ExtractionResult, Passage } from '@outdial/core';
import { type Box, permissionFlags } from './box/box.ts';
import type { ExtractionLimits } from './limits.ts';
import type { ChildReport, ExtractMessage } from './messages.ts';

const entry = fileURLToPath(new URL('child/main.ts', import.meta.url));

/** A process that extracts one file after another. Any file may kill it. */
export class ExtractionChild {
  readonly #process: ChildProcess;
  readonly #limits: ExtractionLimits;
  /** Resolves when the child can take its first file. Rejects if it ends before. */
  readonly ready: Promise<void>;
  /** Resolves when the process is gone, for any reason. */
  readonly exited: Promise<void>;
  #killed = false;
  #freshBytes = 0;
  #residentBytes = 0;
  #reading: { pages: string[]; passages: Passage[]; end(result?: ExtractionResult): void } | null = null;

  constructor(limits: ExtractionLimits, box: Box) {
    this.#limits = limits;
    this.#process = fork(entry, [String(limits.memoryMb)], {
      // Passes strings without conversion to JSON.
      serialization: 'advanced',
      // The last pipe is parentFd. When this process dies, its end closes, and the child kills itself.
      stdio: ['pipe', 'ignore', 'ignore', 'ipc', 'pipe'],
      // The parser's heap must reach its limit before the limit of resident memory, which also counts its buffers.
      ...box.command([`--max-old-space-size=${Math.floor(limits.memoryMb * 0.75)}`, ...permissionFlags]),
      // The child needs no variables of this process, least of all its secrets.
      env: {},
    });
    lowerPriority(this.#process.pid);
    // Not `exit`, which may come before the last message.
    this.exited = Promise.race(['close', 'error'].map((end) => once(this.#process, end))).then(
      () => this.#reading?.end(),
      () => this.#reading?.end(),
    );
    // The first message is `ready`.
    this.ready = Promise.race([
      once(this.#process, 'message').then(() => undefined),
      this.exited.then(() => {
        throw new Error('an extraction process ended while it started');
      }),
    ]);
    // Whoever takes the child gets the error.
    this.ready.catch(() => undefined);
    // A child that dies breaks the pipe. Its exit reports the failure.
    this.#process.stdin?.on('error', () => undefined);
    // Only our own code in the child writes to the channel.
    this.#process.on('message', (report) => this.#take(report as ChildReport));
  }

  /** Whether it can read another file: the leftovers of one file must not make the next one fail. */
  get isReusable(): boolean {
    const { exitCode, signalCode, connected } = this.#process;
    const isAlive = !this.#killed && exitCode === null && signalCode === null && connected;
    return isAlive && this.#residentBytes < (this.#freshBytes + this.#limits.memoryMb * 1024 * 1024) / 2;
  }

  /** Uses SIGKILL, because a parser in a loop handles no other signal. */
  kill(): void {
    this.#killed = true;
    this.#process.kill('SIGKILL');
  }

  /** Reads one file. Its deadline starts when the child has all of it. */
  async extract(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractionResult> {
    const abort = () => this.kill();
    signal.addEventListener('abort', abort, { once: true });
    const timeoutMs = this.#timeoutMs(request);
    let timer: NodeJS.Timeout | undefined;
    let timedOut = false;
    try {
      signal.throwIfAborted();
      const answer = new Promise<ExtractionResult | undefined>((resolve) => {
        this.#reading = { pages: [], passages: [], end: resolve };
      });
      await this.#send(request);
      timer = setTimeout(() => {
        timedOut = true;
        this.kill();
      }, timeoutMs);
      const result = (await answer) ?? this.#failureOfExit(timedOut ? timeoutMs : null);
      signal.throwIfAborted();
      return result;
    } catch (error) {
      // The child may still wait for bytes that will never come.
      this.kill();
      throw signal.aborted ? signal.reason : error;
    } finally {
      this.#reading = null;
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  #take({ message, residentBytes }: ChildReport): void {
    this.#freshBytes ||= residentBytes;
    this.#residentBytes = residentBytes;
    if (message.kind === 'ready' || this.#killed) return;
    const reading = this.#reading;
    // An answer without a file could later count for another one.
    if (reading === null) return this.kill();
    if (message.kind === 'failed') return this.#end({ kind: 'failed', failure: message.failure });
    for (const page of message.pages) reading.pages.push(page);
    for (const passage of message.passages) reading.passages.push(passage);
    if (message.kind === 'done') {
      this.#end({ kind: 'extracted', text: { pages: reading.pages, passages: reading.passages } });
    }
  }

  #end(result: ExtractionResult): void {
    this.#reading?.end(result);
    this.#reading = null;
  }

  /** Sends the file, no faster than the child reads it. */
  async #send({ fileType, sizeBytes, bytes }: ExtractionRequest): Promise<void> {
    const { maxPages, maxTextChars } = this.#limits;
    const message: ExtractMessage = { fileType, sizeBytes, limits: { maxPages, maxTextChars } };
    // A closed channel is ignored: the child is gone, and its exit reports that.
    if (this.#process.connected) this.#process.send(message, () => undefined);
    const { stdin } = this.#process;
    let written = 0;
    for await (const chunk of bytes) {
      written += chunk.length;
      if (written > sizeBytes) break;
      if (!stdin?.writable) return;
      if (!stdin.write(chunk)) await Promise.race([once(stdin, 'drain'), this.exited]);
    }
    if (written !== sizeBytes) throw new FileSizeError(sizeBytes, written);
  }

  #timeoutMs(request: ExtractionRequest): number {
    const { timeoutMs } = this.#limits;
    return typeof timeoutMs === 'number' ? timeoutMs : timeoutMs(request);
  }

  #failureOfExit(timedOutMs: number | null): ExtractionResult {
    if (timedOutMs !== null) {
      return failed(
        'time_limit',
        `Reading the file took longer than ${Math.round(timedOutMs / 1000)} seconds`,
      );
    }
    const { exitCode, signalCode } = this.#process;
    // V8 aborts when its heap is full; the watchdog and the kernel send SIGKILL. A shell reports these as 134 and 137.
    if (signalCode === 'SIGABRT' || signalCode === 'SIGKILL' || exitCode === 134 || exitCode === 137) {
      const { memoryMb } = this.#limits;
      return failed('memory_limit', `The file needs more than ${memoryMb} MB of memory to be read`);
    }
    return failed('crashed', 'The file made the PDF reader crash');
  }
}

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

/** A file store returned more or fewer bytes than were stored. */
class FileSizeError extends Error {
  readonly code = 'file_size';

  constructor(expected: number, got: number) {
    super(`a file of ${expected} bytes was read as ${got}`);
    this.name = 'FileSizeError';
  }
}
