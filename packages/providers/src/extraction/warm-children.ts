import type { Box } from './box/box.ts';
import { ExtractionChild } from './extraction-child.ts';
import type { ExtractionLimits } from './limits.ts';

export interface WarmChild {
  child: ExtractionChild;
  ready: Promise<void>;
  files: number;
  /** The child must not get any more files. */
  isDone: boolean;
}

interface WarmChildrenOptions {
  /** How many children are kept. */
  count: number;
  filesPerChild: number;
  limits: ExtractionLimits;
  box: Box;
}

/** Processes that are ready to read a file. One that ends is replaced before it is needed. */
export class WarmChildren {
  readonly #options: WarmChildrenOptions;
  readonly #idle: WarmChild[] = [];
  readonly #alive = new Set<ExtractionChild>();
  readonly #closed: AbortSignal;

  constructor(options: WarmChildrenOptions, closed: AbortSignal) {
    this.#options = options;
    this.#closed = closed;
    this.#keepWarm();
  }

  /** @throws if three in a row could not be started */
  async take(): Promise<WarmChild> {
    for (let attempt = 1; ; attempt++) {
      this.#closed.throwIfAborted();
      const warm = this.#idle.shift() ?? this.#start();
      try {
        await warm.ready;
        if (warm.child.alive) return warm;
      } catch (error) {
        this.#closed.throwIfAborted();
        if (attempt >= 3) throw error;
      }
    }
  }

  putBack(warm: WarmChild): void {
    if (this.isReusable(warm)) this.#idle.unshift(warm);
    else warm.child.kill();
  }

  isReusable(warm: WarmChild): boolean {
    const { filesPerChild } = this.#options;
    return warm.child.alive && !warm.isDone && warm.files < filesPerChild && !warm.child.isBloated;
  }

  async killAll(): Promise<void> {
    for (const child of this.#alive) child.kill();
    await Promise.all([...this.#alive].map((child) => child.exited));
  }

  #keepWarm(): void {
    if (!this.#closed.aborted && this.#alive.size < this.#options.count) this.#idle.push(this.#start());
  }

  #start(): WarmChild {
    const child = new ExtractionChild(this.#options.limits, this.#options.box);
    this.#alive.add(child);
    void this.#replaceWhenGone(child);
    const ready = child.ready();
    // `take` awaits it and gets the error.
    ready.catch(() => undefined);
    return { child, ready, files: 0, isDone: false };
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
    // A child that could not even start is not replaced until one is needed.
    if (wasReady) this.#keepWarm();
  }
}
