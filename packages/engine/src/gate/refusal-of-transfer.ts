import { callingKeyOf, gateHours } from '@outdial/core';
import {
  type Executor,
  findOrganizationLimits,
  findTransferTarget,
  isNumberSuppressed,
  type OrganizationLimits,
} from '@outdial/db';
import { isAllowedDestination } from './destinations.ts';
import { hasCallsLeft } from './quotas.ts';

export type TransferRefusal =
  | 'destination_refused'
  | 'number_suppressed'
  /** Under a calling policy: it is night where the target is, and the target is no confirmed number of the organization. */
  | 'outside_calling_hours'
  /** The operator's rules do not fit this release, so nobody is called. */
  | 'rules_unusable'
  | 'quota_exceeded'
  /** The organization or the provider has no free line. */
  | 'no_line_free'
  /** Limited per call, because an agent that asks repeatedly could use up the quota of the day. */
  | 'too_many_transfers'
  /** The person has hung up. */
  | 'call_over';

interface AskedTransfer {
  organizationId: string;
  toPhone: string;
}

/** Why a call may probably not be transferred to a number; null if it may. `beginTransfer` decides. */
export async function refusalOfTransfer(db: Executor, asked: AskedTransfer): Promise<TransferRefusal | null> {
  const limits = await findOrganizationLimits(db, asked.organizationId);
  const refusal = await refusalOfNumber(db, asked, limits);
  if (refusal !== null) return refusal;
  return (await hasCallsLeft(db, asked.organizationId, limits)) ? null : 'quota_exceeded';
}

/** Why a transfer to a number is refused. Null if it is allowed. */
export async function refusalOfNumber(
  db: Executor,
  { organizationId, toPhone }: AskedTransfer,
  limits: OrganizationLimits,
): Promise<TransferRefusal | null> {
  if (!isAllowedDestination(toPhone, limits)) return 'destination_refused';
  if (await isNumberSuppressed(db, { organizationId, phoneNumber: toPhone })) return 'number_suppressed';
  const { callingPolicy, isOwn, now, rulesFault } = await findTransferTarget(db, { organizationId, toPhone });
  if (rulesFault !== null) return 'rules_unusable';
  if (callingPolicy === 'none' || isOwn) return null;
  const key = callingKeyOf(callingPolicy, { phoneNumber: toPhone }, 'UTC');
  return gateHours(key, now) === null ? 'outside_calling_hours' : null;
}
