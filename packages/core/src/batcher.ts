export interface BatcherOptions<Item, Answer> {
  /** Does the work of a batch; gives the answers in the order of the items. */
  run(items: readonly Item[]): Promise<readonly Answer[]>;
  /** Items of a batch. */
  atMost: number;
  /** Batches at the same time: while one waits for its commit, the next is read. Default 1. */
  lanes?: number;
  /** A further lane opens from this many waiting items on. Default 1. */
  worthALane?: number;
  /** Items of one key go into batches one after the other, in the order in which they came. */
  keyOf?: (item: Item) => string;
  /** How long the first item waits for others. By default for the end of the turn of the event loop. */
  gatherMs?: number;
  /** Whether the items of a batch that failed so are tried one by one, so that one does not keep the others. Default: never. */
  isOneItemsFault?: (error: unknown) => boolean;
}

interface Waiting<Item, Answer> {
  item: Item;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Collects what arrives together, or while a batch is at work, and does it in one go. */
export class Batcher<Item, Answer> {
  readonly #options: BatcherOptions<Item, Answer>;
  #waiting: Array<Waiting<Item, Answer>> = [];
  readonly #busyKeys = new Set<string>();
  /** Lanes that will still look for items; one that is about to end is in `#lanes` only. */
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

  /** Nothing more will come for now: what waits for others goes at once. */
  flush(): void {
    this.#endGathering?.();
  }

  /** Resolves when all that was added is done. */
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
      // There are as many answers as items.
      for (const [n, one] of batch.entries()) one.resolve(answers[n] as Answer);
    } catch (error) {
      const isSplit = batch.length > 1 && this.#options.isOneItemsFault?.(error) === true;
      for (const one of batch) {
        if (isSplit) await this.#do([one]);
        else one.reject(error);
      }
    }
  }
}
