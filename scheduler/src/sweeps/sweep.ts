import type { ControlDeps } from '@outdial/engine';

/** One round of a sweep: what it did, in numbers, and when to look again. */
export interface SweepResult {
  repaired: number;
  waitMs: number;
}

/** Something that the tables say is due, and how to bring it about. */
export interface Sweep {
  name: string;
  runOnce(deps: ControlDeps): Promise<SweepResult>;
}
