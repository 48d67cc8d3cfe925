export interface WaitingFile {
  owner: string | undefined;
  isSlow: boolean;
  /** Reads the file in the express slot now. The reader calls `leave` afterwards. */
  readExpress(): void;
  /** Returns the file, because no slot will be free soon. */
  putOff(): void;
}

export interface ExpressSlotOptions {
  /** The same files have occupied all regular slots for a while. */
  isStuck: () => boolean;
  waiting: () => readonly WaitingFile[];
  /** False for slow files, and for files of owners over their budget. */
  isEligible: (file: WaitingFile) => boolean;
  choose: (waiting: readonly WaitingFile[]) => number;
  checkEveryMs: number;
}

/**
 * One slot beside the regular ones, for files that wait while long files occupy all of those. Each file is read there only for a moment, so that a short
 * file never waits for a long one. Files that are not eligible are returned, so that they do not keep others out of the queue.
 */
export class ExpressSlot {
  readonly #options: ExpressSlotOptions;
  #isTaken = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ExpressSlotOptions) {
    this.#options = options;
  }

  /** Checks the waiting files regularly until none are left. */
  watch(): void {
    if (this.#isTaken || this.#isClosed || this.#timer !== undefined) return;
    if (this.#options.waiting().length === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#check();
    }, this.#options.checkEveryMs);
  }

  leave(): void {
    this.#isTaken = false;
    this.#check();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #check(): void {
    if (this.#isTaken || this.#isClosed) return;
    if (!this.#options.isStuck()) {
      this.watch();
      return;
    }
    const waiting = this.#options.waiting();
    for (const file of waiting) if (!this.#options.isEligible(file)) file.putOff();
    const eligible = waiting.filter((file) => this.#options.isEligible(file));
    const next = eligible[this.#options.choose(eligible)];
    if (next) {
      this.#isTaken = true;
      next.readExpress();
    } else {
      this.watch();
    }
  }
}
