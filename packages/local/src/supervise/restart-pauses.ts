/** An end after so long is no start that failed. */
const STEADY_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** Ends in a row, each soon after its start, after which something is wrong that another start does not mend. */
const ENDS_IN_A_ROW = 6;

/** How long to wait before what ended is started again: longer each time, and after some ends in a row no more. */
export class RestartPauses {
  readonly #firstPauseMs: number;
  #endsInARow = 0;

  constructor(firstPauseMs = FIRST_PAUSE_MS) {
    this.#firstPauseMs = firstPauseMs;
  }

  /** Null if it is given up. */
  afterEnd(ranMs: number): number | null {
    this.#endsInARow = ranMs >= STEADY_MS ? 1 : this.#endsInARow + 1;
    if (this.#endsInARow >= ENDS_IN_A_ROW) return null;
    return Math.min(this.#firstPauseMs * 2 ** (this.#endsInARow - 1), LONGEST_PAUSE_MS);
  }
}
