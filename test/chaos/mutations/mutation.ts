/** A change that takes one protection out of a copy of the sources. */
export interface Mutation {
  name: string;
  /** What no longer protects. */
  takesOut: string;
  edits: readonly Edit[];
  /** The scenario that has to fail: a constant of test/chaos/scenarios. */
  caughtBy: string;
}

export interface Edit {
  file: string;
  /** Must occur exactly once. */
  find: string;
  replace: string;
}
