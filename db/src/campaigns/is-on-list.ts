import { sql, type RawBuilder, type SqlBool } from 'kysely';

/**
 * Whether a recipient is on its campaign's list. Removing a number from the list withdraws its recipient. The end of a campaign also withdraws
 * recipients, but these stay on the list.
 */
export function isOnList(key: { organizationId: string; campaignId: string }): RawBuilder<SqlBool> {
  return sql<SqlBool>`(withdrawn_at is null or withdrawn_at >= (
    select ended_at from campaigns where organization_id = ${key.organizationId} and id = ${key.campaignId}))`;
}
