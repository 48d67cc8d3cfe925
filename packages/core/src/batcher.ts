export interface BatcherOptions<Item, Answer> {
  /** Processes a batch; returns the answers in the order of the items. The batch is over, even if some of them are promises. */
  run(items: readonly Item[]): Promise<ReadonlyArray<Answer | Promise<Answer>>>;
  /** The largest batch. */
  atMost: number;
  /** Concurrent batches: while one waits for its commit, the next one is collected. Default 1. */
  lanes?: number;
  /** Another lane opens from this many waiting items. Default 1. */
  worthALane?: number;
  /** Items with the same key go into consecutive batches, in the order of their arrival. */
  keyOf?: (item: Item) => string;
  /** How long the first item waits for others. By default until the end of the current turn of the event loop. */
  gatherMs?: number;
  /** Whether to retry the items of a failed batch one by one, so that one faulty item does not fail the others. Default: never. */
  isOneItemsFault?: (error: unknown) => boolean;
}

interface Waiting<Item, Answer> {
  item: Item;
  resolve(answer: Answer | Promise<Answer>): void;
  reject(error: unknown): void;
}

/** Collects items that arrive together, or while a batch runs, and processes them in one batch. */
export class Batcher<Item, Answer> {
  readonly #options: BatcherOptions<Item, Answer>;
  #waiting: Array<Waiting<Item, Answer>> = [];
  readonly #busyKeys = new Set<string>();
  /** Lanes that will still take items; a lane that is about to end is only in `#lanes`. */
  #open = 0;
  readonly #lanes = new Set<Promise<void>>();
  #endGathering: (() => void) | undefined;

  constructor(options: BatcherOptions<Item, Answer>) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#open === 0;
  }

  /** Resolves with the item's answer once its batch is done; rejects with the error of its batch. */
  add(item: Item): Promise<Answer> {
    const { lanes = 1, worthALane = 1 } = this.#options;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      const isWorthIt = this.isIdle || this.#waiting.length >= worthALane;
      if (!isWorthIt || this.#open >= lanes) return;
      this.#open += 1;
      const lane: Promise<void> = this.#runLane().finally(() => this.#lanes.delete(lane));
      this.#lanes.add(lane);
    });
  }

  /** Sends waiting items at once, because no more will arrive for now. */
  flush(): void {
    this.#endGathering?.();
  }

  /** Resolves when all added items are done. */
  async drain(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(this.#lanes);
  }

  async #runLane(): Promise<void> {
    await this.#gather();
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) {
      const keys = batch.flatMap(({ item }) => this.#options.keyOf?.(item) ?? []);
      for (const key of keys) this.#busyKeys.add(key);
      await this.#do(batch);
      for (const key of keys) this.#busyKeys.delete(key);
    }
    this.#open -= 1;
  }

  async #gather(): Promise<void> {
    const { gatherMs } = this.#options;
    await new Promise<void>((resolve) => {
      if (gatherMs === undefined) return setImmediate(resolve);
      const timer = setTimeout(resolve, gatherMs);
      this.#endGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endGathering = undefined;
  }

  #take(): Array<Waiting<Item, Answer>> {
    const { atMost, keyOf } = this.#options;
    if (keyOf === undefined) return this.#waiting.splice(0, atMost);
    const seen = new Set(this.#busyKeys);
    const batch: Array<Waiting<Item, Answer>> = [];
    const rest: Array<Waiting<Item, Answer>> = [];
    for (const one of this.#waiting) {
      const key = keyOf(one.item);
      if (!seen.has(key) && batch.length < atMost) batch.push(one);
      else rest.push(one);
      seen.add(key);
    }
    this.#waiting = rest;
    return batch;
  }

  async #do(batch: ReadonlyArray<Waiting<Item, Answer>>): Promise<void> {
    try {
      const answers = await this.#options.run(batch.map((one) => one.item));
      if (answers.length !== batch.length) throw new Error('a batch has to answer each of its items');
      // `run` returns one answer for each item.
      for (const [n, one] of batch.entries()) one.resolve(answers[n] as Answer | Promise<Answer>);
    } catch (error) {
      const isSplit = batch.length > 1 && this.#options.isOneItemsFault?.(error) === true;
      for (const one of batch) {
        if (isSplit) await this.#do([one]);
        else one.reject(error);
      }
    }
  }
}
