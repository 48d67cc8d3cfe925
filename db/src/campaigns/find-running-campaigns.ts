import type { Executor } from '../transaction.ts';

/** An organization's campaigns that are running, newest first, without their numbers. */
export function findRunningCampaigns(
  db: Executor,
  args: { organizationId: string; limit: number },
): Promise<Array<{ id: string; name: string }>> {
  return db
    .selectFrom('campaigns')
    .select(['id', 'name'])
    .where('organization_id', '=', args.organizationId)
    .where('status', '=', 'running')
    .orderBy('created_at', 'desc')
    .limit(args.limit)
    .execute();
}
