import type { ExtractionRequest, ExtractionResult, TextExtractor } from '@outdial/core';
import { ExtractionChild, type HandedFile } from './extraction-child.ts';
import { FileSizeError } from './file-size-error.ts';
import type { ExtractionLimits } from './limits.ts';
import { Semaphore } from './semaphore.ts';

export interface ExtractionPoolOptions {
  /** Files read at the same time; further ones wait. */
  concurrency: number;
  limits: ExtractionLimits;
  /**
   * A child that has read this many files makes room for a fresh one, as one that has grown large does: what a parser leaks
   * ends with it. A fresh one takes a hundred files to become as fast.
   */
  filesPerChild?: number;
}

/**
 * Extracts files in processes of their own. Beside those at work there is one more, warm: it is handed the next file
 * already, and begins with it as soon as there is a place, or at once after a crash. Small files, which come whole, go one after the
 * other to the process that reads already.
 */
export function createExtractionPool(options: ExtractionPoolOptions): TextExtractor {
  return new ExtractionPool(options);
}

/** Small files that a child has at a time: one that it reads, and some for the time until it gets another. */
const HANDED_AHEAD = 3;
/** Small files that may go before a larger one that waits. */
const SMALL_IN_A_ROW = 20;

class ExtractionPool implements TextExtractor {
  readonly #limits: ExtractionLimits;
  readonly #filesPerChild: number;
  readonly #concurrency: number;
  readonly #toBeFed: Semaphore;
  readonly #toBeRead: Semaphore;
  readonly #small: SmallFile[] = [];
  #smallReaders = 0;
  readonly #idle: WarmChild[] = [];
  readonly #alive = new Set<ExtractionChild>();
  readonly #closed = new AbortController();

  constructor({ concurrency, limits, filesPerChild = 10_000 }: ExtractionPoolOptions) {
    this.#limits = limits;
    this.#filesPerChild = filesPerChild;
    this.#concurrency = concurrency;
    this.#toBeFed = new Semaphore(concurrency + 1);
    this.#toBeRead = new Semaphore(concurrency);
    this.#keepWarm();
  }

  extract(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractionResult> {
    const ended = AbortSignal.any([signal, this.#closed.signal]);
    const { bytes } = request;
    if (!(bytes instanceof Uint8Array)) return this.#extractLarge(request, bytes, ended);
    const result = this.#whenRead(request, bytes, ended);
    if (this.#smallReaders < this.#concurrency) {
      this.#smallReaders++;
      void this.#readSmall();
    }
    return result;
  }

  async #extractLarge(
    request: ExtractionRequest,
    bytes: AsyncIterable<Uint8Array>,
    ended: AbortSignal,
  ): Promise<ExtractionResult> {
    await this.#toBeFed.enter(ended);
    try {
      const warm = await this.#takeChild();
      try {
        const handed = await warm.child.feed(request, bytes, ended);
        return await this.#read(warm, handed, ended);
      } finally {
        warm.files++;
        this.#putBack(warm);
      }
    } finally {
      this.#toBeFed.leave();
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new ExtractorClosedError());
    for (const child of this.#alive) child.kill();
    await Promise.all([...this.#alive].map((child) => child.exited));
  }

  async #read(warm: WarmChild, handed: HandedFile, ended: AbortSignal): Promise<ExtractionResult> {
    try {
      await this.#toBeRead.enter(ended);
    } catch (error) {
      // It holds a file that nobody wants any more.
      warm.child.kill();
      throw error;
    }
    try {
      warm.child.begin();
      return await warm.child.extract(handed, ended);
    } finally {
      this.#toBeRead.leave();
    }
  }

  /** Puts a small file in line. It is given up at once when nobody wants it any more, even where a child has it already. */
  #whenRead(request: ExtractionRequest, bytes: Uint8Array, signal: AbortSignal): Promise<ExtractionResult> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (bytes.length !== request.sizeBytes) throw new FileSizeError(request.sizeBytes, bytes.length);
      const abort = () => {
        const at = this.#small.indexOf(file);
        if (at >= 0) this.#small.splice(at, 1);
        reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      };
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          signal.removeEventListener('abort', abort);
          settle(value);
        };
      const file = { request, bytes, signal, resolve: settled(resolve), reject: settled(reject) };
      signal.addEventListener('abort', abort, { once: true });
      this.#small.push(file);
    });
  }

  /** Reads small files while there are any; a larger one comes in between. */
  async #readSmall(): Promise<void> {
    try {
      while (this.#small.length > 0) {
        await this.#toBeFed.enter(this.#closed.signal);
        try {
          await this.#toBeRead.enter(this.#closed.signal);
          try {
            await this.#readSmallIn(await this.#takeChild());
          } finally {
            this.#toBeRead.leave();
          }
        } finally {
          this.#toBeFed.leave();
        }
      }
    } catch (error) {
      // No child can be started, or no more shall be.
      for (const { reject } of this.#small.splice(0)) reject(error);
    } finally {
      this.#smallReaders--;
    }
  }

  async #readSmallIn(warm: WarmChild): Promise<void> {
    const handed: { file: SmallFile; handed: HandedFile }[] = [];
    const isWanted = () => this.#toBeFed.isWanted || this.#toBeRead.isWanted;
    for (let turn = 1; ; turn++) {
      const mayTakeMore = this.#mayReadOn(warm) && (turn <= SMALL_IN_A_ROW || !isWanted());
      while (mayTakeMore && handed.length < HANDED_AHEAD) {
        const file = this.#small.shift();
        if (!file) break;
        try {
          handed.push({ file, handed: warm.child.hand(file.request, file.bytes) });
        } catch (error) {
          // Nothing is known of what the child has got.
          warm.child.kill();
          file.reject(error);
          break;
        }
      }
      const oldest = handed.shift();
      if (!oldest) break;
      warm.files++;
      await warm.child
        .extract(oldest.handed, oldest.file.signal)
        .then(oldest.file.resolve, oldest.file.reject);
      // What it left in memory is not charged to those behind it.
      if (warm.child.isBloated) warm.child.kill();
      // They have nothing to do with what it did.
      if (!warm.child.alive) {
        this.#small.unshift(
          ...handed
            .splice(0)
            .map(({ file }) => file)
            .filter(({ signal }) => !signal.aborted),
        );
      }
    }
    this.#putBack(warm);
  }

  async #takeChild(): Promise<WarmChild> {
    for (let attempt = 1; ; attempt++) {
      this.#closed.signal.throwIfAborted();
      const warm = this.#idle.shift() ?? this.#start();
      try {
        await warm.ready;
        if (warm.child.alive) return warm;
      } catch (error) {
        this.#closed.signal.throwIfAborted();
        if (attempt >= 3) throw error;
      }
    }
  }

  #putBack(warm: WarmChild): void {
    if (this.#mayReadOn(warm)) this.#idle.unshift(warm);
    else warm.child.kill();
  }

  #mayReadOn(warm: WarmChild): boolean {
    return warm.child.alive && warm.files < this.#filesPerChild && !warm.child.isBloated;
  }

  #keepWarm(): void {
    if (!this.#closed.signal.aborted && this.#alive.size <= this.#concurrency) this.#idle.push(this.#start());
  }

  #start(): WarmChild {
    const child = new ExtractionChild(this.#limits);
    this.#alive.add(child);
    void this.#replaceWhenGone(child);
    const ready = child.ready();
    // Awaited when it is taken.
    ready.catch(() => undefined);
    return { child, ready, files: 0 };
  }

  async #replaceWhenGone(child: ExtractionChild): Promise<void> {
    const wasReady = await Promise.race([
      child.ready().then(() => true),
      child.exited.then(() => false),
    ]).catch(() => false);
    await child.exited;
    this.#alive.delete(child);
    const at = this.#idle.findIndex((warm) => warm.child === child);
    if (at >= 0) this.#idle.splice(at, 1);
    // One that could not even start is not tried again before there is need.
    if (wasReady) this.#keepWarm();
  }
}

/** A file that is there whole, and waits. */
interface SmallFile {
  request: ExtractionRequest;
  bytes: Uint8Array;
  signal: AbortSignal;
  resolve: (result: ExtractionResult) => void;
  reject: (error: unknown) => void;
}

interface WarmChild {
  child: ExtractionChild;
  ready: Promise<void>;
  files: number;
}

/** The extractor is shutting down. */
export class ExtractorClosedError extends Error {
  readonly code = 'extractor_closed';

  constructor() {
    super('the extractor is closed');
    this.name = 'ExtractorClosedError';
  }
}
