import type { Outcome } from '@outdial/core';
import { sql } from 'kysely';
import { definitionColumns, definitionTables } from '../engine/campaign-definition.ts';
import type { Executor } from '../transaction.ts';

/** A config with the defaults for what was never set; `id` is null while there is no row. */
export interface EffectiveConfigRow {
  id: string | null;
  created_at: Date | null;
  campaign_id: string;
  call_on_weekend: boolean;
  queue_again: boolean;
  call_back_attempts: number;
  retry_delay_seconds: number;
  retry_on: Outcome[];
  max_concurrent_calls: number;
  calls_per_second: number | null;
  max_attempts_per_recipient: number | null;
  priority: number;
}

/** Null where the organization has no such campaign. */
export async function findCampaignConfig(
  db: Executor,
  key: { organizationId: string; campaignId: string },
): Promise<EffectiveConfigRow | null> {
  const { rows } = await sql<EffectiveConfigRow>`
    select x.*, x.id as campaign_id, x.config_id as id, x.config_created_at as created_at from (
      select ${definitionColumns}, f.id as config_id, f.created_at as config_created_at from ${definitionTables}
      where c.organization_id = ${key.organizationId} and c.id = ${key.campaignId} and c.deleted_at is null) x`.execute(
    db,
  );
  return rows[0] ?? null;
}
