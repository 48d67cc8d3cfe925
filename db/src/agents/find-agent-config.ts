import { sql } from 'kysely';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor } from '../transaction.ts';

/** Null if the agent does not exist or was deleted. */
export async function findAgentConfig(
  db: Executor,
  { organizationId, agentId }: { organizationId: string; agentId: string },
): Promise<JsonObject | null> {
  const { rows } = await sql<{ config: JsonObject }>`
    select config from agents
    where organization_id = ${organizationId} and id = ${agentId} and deleted_at is null`.execute(db);
  return rows[0]?.config ?? null;
}
