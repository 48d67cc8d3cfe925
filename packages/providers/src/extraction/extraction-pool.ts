import type { ExtractionRequest, ExtractionResult, TextExtractor } from '@outdial/core';
import { ExtractionChild } from './extraction-child.ts';
import type { ExtractionLimits } from './limits.ts';
import { Places } from './places.ts';

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
 * already, and begins with it as soon as there is a place, or at once after a crash.
 */
export function createExtractionPool(options: ExtractionPoolOptions): TextExtractor {
  return new ExtractionPool(options);
}

class ExtractionPool implements TextExtractor {
  readonly #limits: ExtractionLimits;
  readonly #filesPerChild: number;
  readonly #children: number;
  readonly #toBeFed: Places;
  readonly #toBeRead: Places;
  readonly #idle: WarmChild[] = [];
  readonly #alive = new Set<ExtractionChild>();
  readonly #closed = new AbortController();

  constructor({ concurrency, limits, filesPerChild = 1_000 }: ExtractionPoolOptions) {
    this.#limits = limits;
    this.#filesPerChild = filesPerChild;
    this.#children = concurrency + 1;
    this.#toBeFed = new Places(concurrency + 1);
    this.#toBeRead = new Places(concurrency);
    this.#keepWarm();
  }

  async extract(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractionResult> {
    const ended = AbortSignal.any([signal, this.#closed.signal]);
    await this.#toBeFed.enter(ended);
    try {
      const warm = await this.#takeChild();
      try {
        await warm.child.feed(request, ended);
        return await this.#read(warm, request, ended);
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

  async #read(warm: WarmChild, request: ExtractionRequest, ended: AbortSignal): Promise<ExtractionResult> {
    try {
      await this.#toBeRead.enter(ended);
    } catch (error) {
      // It holds a file that nobody wants any more.
      warm.child.kill();
      throw error;
    }
    try {
      return await warm.child.extract(request, ended);
    } finally {
      this.#toBeRead.leave();
    }
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
    if (warm.files >= this.#filesPerChild || warm.child.isBloated) warm.child.kill();
    else if (warm.child.alive) this.#idle.unshift(warm);
  }

  #keepWarm(): void {
    if (!this.#closed.signal.aborted && this.#alive.size < this.#children) this.#idle.push(this.#start());
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
