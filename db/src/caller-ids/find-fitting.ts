import { chooseCallerIds } from '@outdial/core';
import type { Executor } from '../transaction.ts';
import { readCallerIdPool } from './pool.ts';

/** Whether one of an organization's caller ids may call a number now. Null if it has no caller ids, and calls from its agents' numbers. */
export async function findFittingCallerId(
  db: Executor,
  { organizationId, phoneNumber }: { organizationId: string; phoneNumber: string },
): Promise<boolean | null> {
  const { has_caller_ids: hasCallerIds } = await db
    .selectFrom('organizations')
    .select('has_caller_ids')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (!hasCallerIds) return null;
  const { callerIds, rules, now } = await readCallerIdPool(db, organizationId);
  const [chosen] = chooseCallerIds(callerIds, rules, [{ phoneNumber, lastCallerId: null }], now);
  return chosen != null;
}
