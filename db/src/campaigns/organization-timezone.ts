import type { Executor } from '../transaction.ts';

/** IANA; what a campaign's wall clock is where the campaign names none. */
export async function organizationTimezone(db: Executor, organizationId: string): Promise<string> {
  const row = await db
    .selectFrom('organizations')
    .select('timezone')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return row.timezone;
}
