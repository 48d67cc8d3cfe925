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
  /** Numbers that were not on the list before. */
  added: number;
  /** Publishes checks of calls to these numbers that are queued at a provider, to withdraw them. */
  afterCommit: () => Promise<void>;
}

/** Adds numbers to an organization's suppression list in the caller's transaction. After the commit, every gate refuses them. */
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
