/** What one round of a sweep did. */
export interface Swept {
  /** How many rows, campaigns or calls it dealt with. */
  done: number;
  /** The batch was full, so there may be more: the next round follows at once. */
  isFull: boolean;
  /** When something is due sooner than the next round: how soon. */
  nextInMs?: number;
}

/** A repair or a schedule that the tables ask for, as data: `startSweeps` runs it. */
export interface Sweep<Deps> {
  name: string;
  /** The pause after a round whose batch was not full. */
  everyMs: number;
  /** The pause after a full batch. Default 0. */
  betweenFullMs?: number;
  /** What it does is the ordinary course of things, and not counted as a repair. Default false. */
  isRoutine?: boolean;
  run(deps: Deps): Promise<Swept>;
}
