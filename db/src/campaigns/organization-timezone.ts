import type { Executor } from '../transaction.ts';

/** The IANA time zone of campaigns that name none. */
export async function organizationTimezone(db: Executor, organizationId: string): Promise<string> {
  const row = await db
    .selectFrom('organizations')
    .select('timezone')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return row.timezone;
}
