import { type Executor, findOrganizationLimits, isNumberSuppressed } from '@outdial/db';
import { isAllowedDestination } from '../limits/destinations.ts';
import { hasCallsLeft } from '../limits/quotas.ts';

export type TransferRefusal =
  | 'destination_refused'
  | 'number_suppressed'
  | 'quota_exceeded'
  /** The organization or the provider has no free line. */
  | 'no_line_free'
  /** Limited per call, because an agent that asks repeatedly could use up the quota of the day. */
  | 'too_many_transfers'
  /** The person has hung up. */
  | 'call_over';

/** Why a call may not be transferred to a number now; null if it may. Replaces the gate, because a transfer has no row in `calls`. */
export async function refusalOfTransfer(
  db: Executor,
  { organizationId, toPhone }: { organizationId: string; toPhone: string },
): Promise<TransferRefusal | null> {
  const limits = await findOrganizationLimits(db, organizationId);
  if (!isAllowedDestination(toPhone, limits)) return 'destination_refused';
  if (await isNumberSuppressed(db, { organizationId, phoneNumber: toPhone })) return 'number_suppressed';
  return (await hasCallsLeft(db, organizationId, limits)) ? null : 'quota_exceeded';
}
