import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

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
