import { sql } from 'kysely';
import { noteChange } from '../audit/audit-scope.ts';
import type { Tx } from '../transaction.ts';

export type DeleteAgentResult =
  | { kind: 'deleted' }
  | { kind: 'not_found' }
  /** Unfinished campaigns or calls use the agent. */
  | { kind: 'in_use'; campaigns: number; calls: number };

/** Deletes an unused agent. The row stays for the records of past campaigns and calls, but no list or read returns it. */
export async function deleteAgent(
  tx: Tx,
  args: { organizationId: string; agentId: string; now: Date },
): Promise<DeleteAgentResult> {
  const { organizationId, agentId, now } = args;
  // Conflicts with foreign keys, so that a concurrent campaign or call is either seen below, or finds no agent.
  const agent = await tx
    .selectFrom('agents')
    .select('name')
    .where('organization_id', '=', organizationId)
    .where('id', '=', agentId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (agent === undefined) return { kind: 'not_found' };
  const { rows } = await sql<{ campaigns: number; calls: number }>`
    select (select count(*)::int from campaigns where organization_id = ${organizationId} and agent_id = ${agentId}
              and status in ('draft', 'paused', 'running')) as campaigns,
           (select count(*)::int from (
              select from calls where organization_id = ${organizationId} and agent_id = ${agentId} and phase <> 'ended'
              limit 1) live) as calls`.execute(tx);
  const [uses] = rows;
  if (uses !== undefined && uses.campaigns + uses.calls > 0) return { kind: 'in_use', ...uses };
  await tx
    .updateTable('agents')
    .set({ deleted_at: now, updated_at: now })
    .where('organization_id', '=', organizationId)
    .where('id', '=', agentId)
    .execute();
  noteChange({ type: 'agent', id: agentId, before: { name: agent.name } });
  return { kind: 'deleted' };
}
