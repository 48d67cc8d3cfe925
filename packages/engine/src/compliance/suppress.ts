import {
  addSuppressions,
  checkCallsOfSuppressed,
  type KnownNumbers,
  type NewSuppression,
  type SuppressionOrigin,
  type Tx,
} from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueChecks } from '../enqueue.ts';

export interface Suppressed {
  /** How many numbers were not on the list before. */
  added: number;
  /** Run this after the commit. It withdraws calls to these numbers that wait at a provider. */
  afterCommit: () => Promise<void>;
}

/** Puts numbers on an organization's suppression list, in the caller's transaction. After the commit, no gate opens for them. */
export async function suppressIn(
  tx: Tx,
  deps: Pick<ControlDeps, 'publisher' | 'log'>,
  args: {
    organizationId: string;
    suppressions: readonly NewSuppression[];
    origin?: SuppressionOrigin;
    known?: KnownNumbers;
  },
): Promise<Suppressed> {
  const added = await addSuppressions(tx, args);
  const phoneNumbers = args.suppressions.map((suppression) => suppression.phoneNumber);
  const callIds = await checkCallsOfSuppressed(tx, { organizationId: args.organizationId, phoneNumbers });
  return { added, afterCommit: () => enqueueChecks(deps, callIds) };
}
