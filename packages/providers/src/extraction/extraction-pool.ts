import { type ExtractionRequest, type ExtractionResult, type TextExtractor, Turns } from '@outdial/core';
import { type Box, plainBox } from './box/box.ts';
import { ExtractionChild } from './extraction-child.ts';
import type { ExtractionLimits } from './limits.ts';

export interface ExtractionPoolOptions {
  /** How many files of an organization are read at the same time, and one more of another one. Further files wait, and organizations take turns. */
  concurrency: number;
  limits: ExtractionLimits;
  /** The box in which the processes run. By default, only Node's own permissions apply. */
  box?: Box;
}

/** Reads files in child processes, one file at a time in each. A process is used again until a file kills it or leaves too much memory behind. */
export function createExtractionPool(options: ExtractionPoolOptions): TextExtractor {
  return new ExtractionPool(options);
}

/** A machine that cannot start a process three times in a row cannot read files. */
const startsAtMost = 3;

class ExtractionPool implements TextExtractor {
  readonly #limits: ExtractionLimits;
  readonly #box: Box;
  readonly #slots: Turns;
  readonly #closed = new AbortController();
  readonly #alive = new Set<ExtractionChild>();
  readonly #idle: ExtractionChild[] = [];

  constructor({ concurrency, limits, box = plainBox }: ExtractionPoolOptions) {
    this.#limits = limits;
    this.#box = box;
    this.#slots = new Turns({ atOnce: concurrency + 1, perOrganization: concurrency });
    this.#keepOneWarm();
  }

  extract(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractionResult> {
    const ended = AbortSignal.any([signal, this.#closed.signal]);
    return this.#slots.run(request.organizationId ?? '', () => this.#read(request, ended), { signal: ended });
  }

  async close(): Promise<void> {
    this.#closed.abort(new ExtractorClosedError());
    for (const child of this.#alive) child.kill();
    await Promise.all([...this.#alive].map((child) => child.exited));
  }

  async #read(request: ExtractionRequest, ended: AbortSignal): Promise<ExtractionResult> {
    const child = await this.#take();
    try {
      return await child.extract(request, ended);
    } finally {
      if (child.isReusable) this.#idle.push(child);
      else child.kill();
      this.#keepOneWarm();
    }
  }

  async #take(): Promise<ExtractionChild> {
    for (let starts = 1; ; starts++) {
      this.#closed.signal.throwIfAborted();
      const child = this.#idle.pop() ?? this.#start();
      try {
        await child.ready;
        if (child.isReusable) return child;
      } catch (error) {
        this.#closed.signal.throwIfAborted();
        if (starts >= startsAtMost) throw error;
      }
    }
  }

  /** The next file then does not wait for a process to start. */
  #keepOneWarm(): void {
    if (!this.#closed.signal.aborted && this.#idle.length === 0) this.#idle.push(this.#start());
  }

  #start(): ExtractionChild {
    const child = new ExtractionChild(this.#limits, this.#box);
    this.#alive.add(child);
    void child.exited.then(() => this.#alive.delete(child));
    return child;
  }
}

/** The extractor is shutting down. */
export class ExtractorClosedError extends Error {
  readonly code = 'extractor_closed';

  constructor() {
    super('the extractor is closed');
    this.name = 'ExtractorClosedError';
  }
}
