import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import type { CampaignKey } from '../keys.ts';

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

export interface RunningCampaign extends CampaignKey {
  name: string;
}

export function listRunningCampaigns(
  db: Executor,
  { after, limit }: { after: RunningCampaign | undefined; limit: number },
): Promise<RunningCampaign[]> {
  return db
    .selectFrom('campaigns')
    .select(['organization_id as organizationId', 'id as campaignId', 'name'])
    .where('status', '=', 'running')
    .where('deleted_at', 'is', null)
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(organization_id, id) > (${after?.organizationId}::uuid, ${after?.campaignId}::uuid)`,
      ),
    )
    .orderBy('organization_id')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Without personal data. */
export interface CampaignForOperators {
  id: string;
  name: string;
  status: string;
  organization_id: string;
  organization_name: string;
  /** When the scheduler advances the campaign next; null for never. */
  wake_at: Date | null;
}

export async function findCampaignForOperators(
  db: Executor,
  campaignId: string,
): Promise<CampaignForOperators | null> {
  const { rows } = await sql<CampaignForOperators>`
    select c.id, c.name, c.status, c.organization_id, o.name as organization_name, r.wake_at
    from campaigns c
    join organizations o on o.id = c.organization_id
    left join campaign_runtime r on r.campaign_id = c.id
    where c.id = ${campaignId}`.execute(db);
  return rows[0] ?? null;
}
