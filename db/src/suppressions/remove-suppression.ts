import type { Executor } from '../transaction.ts';

/** Gives whether the number was on the list. */
export async function removeSuppression(
  db: Executor,
  { organizationId, phoneNumber }: { organizationId: string; phoneNumber: string },
): Promise<boolean> {
  const result = await db
    .deleteFrom('suppressions')
    .where('organization_id', '=', organizationId)
    .where('phone_number', '=', phoneNumber)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}
