import { judgeDestination, refusalOf } from '@outdial/core';
import { type Executor, findOrganizationLimits, isSuppressed } from '@outdial/db';
import { destinationRules } from '../limits/destinations.ts';
import { hasCallsLeft } from '../limits/quotas.ts';

export type TransferRefusal =
  | 'destination_refused'
  | 'number_suppressed'
  | 'quota_exceeded'
  /** Of the organization or of the provider. */
  | 'no_line_free'
  /** An agent that asks again and again uses up the quota of the day. */
  | 'too_many_transfers'
  /** The person has hung up meanwhile. */
  | 'call_over';

/**
 * Why a call may not be transferred to a number at this moment; null if it may. A transfer is dialed for the organization like a call, but it is no row
 * of calls and passes no gate. So this is asked just before each.
 */
export async function refusalOfTransfer(
  db: Executor,
  { organizationId, toPhone }: { organizationId: string; toPhone: string },
): Promise<TransferRefusal | null> {
  const limits = await findOrganizationLimits(db, organizationId);
  if (refusalOf(judgeDestination(toPhone, destinationRules(limits))) !== null) return 'destination_refused';
  if (await isSuppressed(db, { organizationId, phoneNumber: toPhone })) return 'number_suppressed';
  return (await hasCallsLeft(db, organizationId, limits)) ? null : 'quota_exceeded';
}
