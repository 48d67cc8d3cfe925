/** The result of one round of a sweep. */
export interface Swept {
  /** How many rows, campaigns or calls it handled. */
  done: number;
  /** The batch was full, so more work may be left, and the next round starts at once. */
  isFull: boolean;
  /** How soon the next work is due, if that is sooner than the next round. */
  nextInMs?: number;
}

/** A periodic repair or schedule driven by the tables, as data: `startSweeps` runs it. */
export interface Sweep<Deps> {
  name: string;
  /** The pause after a round whose batch was not full. */
  everyMs: number;
  /** The pause after a full batch. Default 0. */
  betweenFullMs?: number;
  /** The work is routine and does not count as a repair. Default false. */
  isRoutine?: boolean;
  run(deps: Deps): Promise<Swept>;
}
