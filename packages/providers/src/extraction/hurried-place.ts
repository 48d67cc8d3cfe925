export interface WaitingFile {
  owner: string | undefined;
  isSlow: boolean;
  /** It may be read in the hurried place now, and says when it leaves it. */
  hurry(): void;
  /** No place will be free soon: the file is handed back. */
  putOff(): void;
}

export interface HurriedPlaceOptions {
  /** All ordinary places have been taken for a while by the same files. */
  isStuck: () => boolean;
  waiting: () => readonly WaitingFile[];
  /** Slow files, and files of owners over their budget, get no hurried place. */
  mayHurry: (file: WaitingFile) => boolean;
  choose: (waiting: readonly WaitingFile[]) => number;
  lookEveryMs: number;
}

/**
 * One place beside the ordinary ones, for files that wait while long ones hold all of those. Each is read there for a moment only, so that
 * a short file never waits for a long one of any owner. Files that may not be read there are handed back: they would only keep others from
 * coming.
 */
export class HurriedPlace {
  readonly #options: HurriedPlaceOptions;
  #isTaken = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HurriedPlaceOptions) {
    this.#options = options;
  }

  /** Something waits: it is looked after from now on, until nothing does. */
  watch(): void {
    if (this.#isTaken || this.#isClosed || this.#timer !== undefined) return;
    if (this.#options.waiting().length === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, this.#options.lookEveryMs);
  }

  leave(): void {
    this.#isTaken = false;
    this.#look();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #look(): void {
    if (this.#isTaken || this.#isClosed) return;
    if (!this.#options.isStuck()) {
      this.watch();
      return;
    }
    const waiting = this.#options.waiting();
    for (const file of waiting) if (!this.#options.mayHurry(file)) file.putOff();
    const hurried = waiting.filter((file) => this.#options.mayHurry(file));
    const next = hurried[this.#options.choose(hurried)];
    if (next) {
      this.#isTaken = true;
      next.hurry();
    } else {
      this.watch();
    }
  }
}
