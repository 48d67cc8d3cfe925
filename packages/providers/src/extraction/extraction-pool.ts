import type { ExtractionRequest, ExtractionResult, TextExtractor } from '@outdial/core';
import { ExtractionChild } from './extraction-child.ts';
import type { ExtractionLimits } from './limits.ts';

export interface ExtractionPoolOptions {
  /** Files read at the same time; further ones wait. */
  concurrency: number;
  limits: ExtractionLimits;
  /** A child that has read this many files makes room for a fresh one: what a parser leaks ends with it. */
  filesPerChild?: number;
}

/**
 * Extracts files in processes of their own. Beside those at work one more is kept warm, so that the file after a
 * crash begins at once.
 */
export function createExtractionPool(options: ExtractionPoolOptions): TextExtractor {
  return new ExtractionPool(options);
}

class ExtractionPool implements TextExtractor {
  readonly #options: ExtractionPoolOptions;
  readonly #filesPerChild: number;
  readonly #idle: WarmChild[] = [];
  readonly #children = new Set<ExtractionChild>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #closed = false;

  constructor(options: ExtractionPoolOptions) {
    this.#options = options;
    this.#filesPerChild = options.filesPerChild ?? 100;
    this.#keepWarm();
  }

  async extract(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractionResult> {
    await this.#enter(signal);
    try {
      const warm = await this.#takeChild();
      this.#keepWarm();
      try {
        const result = await warm.child.extract(request, signal);
        if (this.#closed) throw new ExtractorClosedError();
        return result;
      } finally {
        warm.files++;
        this.#putBack(warm);
      }
    } finally {
      this.#leave();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const child of this.#children) child.kill();
    await Promise.all([...this.#children].map((child) => child.exited));
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#closed) throw new ExtractorClosedError();
    if (this.#running >= this.#options.concurrency) {
      await new Promise<void>((resolve, reject) => {
        const enter = () => {
          signal.removeEventListener('abort', abort);
          resolve();
        };
        const abort = () => {
          this.#waiting.splice(this.#waiting.indexOf(enter), 1);
          reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
        };
        signal.addEventListener('abort', abort, { once: true });
        this.#waiting.push(enter);
      });
      // Whoever left has handed its place on.
      return;
    }
    this.#running++;
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }

  async #takeChild(): Promise<WarmChild> {
    for (let attempt = 1; ; attempt++) {
      if (this.#closed) throw new ExtractorClosedError();
      const warm = this.#idle.shift() ?? this.#start();
      try {
        await warm.ready;
        if (warm.child.alive) return warm;
      } catch (error) {
        if (attempt >= 3) throw error;
      }
    }
  }

  #putBack(warm: WarmChild): void {
    if (this.#closed || !warm.child.alive) return;
    const spares = this.#idle.length + this.#running > this.#options.concurrency + 1;
    if (warm.files >= this.#filesPerChild || spares) warm.child.kill();
    else this.#idle.unshift(warm);
  }

  #keepWarm(): void {
    if (!this.#closed && this.#idle.length === 0) this.#idle.push(this.#start());
  }

  #start(): WarmChild {
    const child = new ExtractionChild(this.#options.limits);
    this.#children.add(child);
    void this.#forgetWhenGone(child);
    const ready = child.ready();
    // Awaited when it is taken.
    ready.catch(() => undefined);
    return { child, ready, files: 0 };
  }

  async #forgetWhenGone(child: ExtractionChild): Promise<void> {
    await child.exited;
    this.#children.delete(child);
    const at = this.#idle.findIndex((warm) => warm.child === child);
    if (at >= 0) this.#idle.splice(at, 1);
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
