import { sql, type RawBuilder, type SqlBool } from 'kysely';

/**
 * Whether a recipient is on its campaign's list. An update that takes a number off withdraws it; so does the end of a campaign
 * with what was not dialed, and those stay on the list: the end is no change of it.
 */
export function isOnList(key: { organizationId: string; campaignId: string }): RawBuilder<SqlBool> {
  return sql<SqlBool>`(withdrawn_at is null or withdrawn_at >= (
    select ended_at from campaigns where organization_id = ${key.organizationId} and id = ${key.campaignId}))`;
}
