/** An edit that removes one protection from a copy of the sources. */
export interface Mutation {
  name: string;
  /** The removed protection, as a statement that no longer holds. */
  takesOut: string;
  edits: readonly Edit[];
  /** The scenario that must fail: the name of a constant in test/chaos/scenarios. */
  caughtBy: string;
}

/** As the files of mutations have it: most make one edit. */
export type MutationEntry = Omit<Mutation, 'edits'> & (Edit | Pick<Mutation, 'edits'>);

export interface Edit {
  file: string;
  /** Must occur exactly once. */
  find: string;
  replace: string;
}
