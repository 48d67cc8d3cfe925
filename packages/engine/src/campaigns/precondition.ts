import type { Tx } from '@outdial/db';

/** What the caller of a change requires of the campaign. It runs when the campaign is locked until the commit, and throws if it does not hold. */
export type Precondition = (tx: Tx) => Promise<void>;
