import { sql } from 'kysely';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor } from '../transaction.ts';

export interface AgentRow {
  id: string;
  organization_id: string;
  organization_name: string;
  name: string;
  config: JsonObject;
  created_at: Date;
  skills: Array<{ id: string; type: string; exec_order: string; enabled: boolean; config: JsonObject }>;
  /** The newest; null if there is none. */
  prompt: {
    level: number;
    prompt: string;
    explanation: string;
    mitigation: string;
    harmful_intents: unknown[];
  } | null;
}

/** For `agents a` joined with `organizations o`. */
export const agentColumns = sql.raw(`
  a.id, a.organization_id, o.name as organization_name, a.name, a.config, a.created_at,
  (select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'type', s.type, 'exec_order', s.exec_order,
                                                'enabled', s.enabled, 'config', s.config)
                             order by s.exec_order, s.id), '[]')
     from agent_skills s
    where s.organization_id = a.organization_id and s.agent_id = a.id) as skills,
  (select jsonb_build_object('level', p.level, 'prompt', p.prompt, 'explanation', p.explanation,
                             'mitigation', p.mitigation, 'harmful_intents', p.harmful_intents)
     from agent_prompts p
    where p.organization_id = a.organization_id and p.agent_id = a.id
    order by p.id desc limit 1) as prompt`);

/** Null if the agent does not exist or was deleted. */
export async function findAgent(
  db: Executor,
  { organizationId, agentId }: { organizationId: string; agentId: string },
): Promise<AgentRow | null> {
  const { rows } = await sql<AgentRow>`
    select ${agentColumns}
    from agents a
    join organizations o on o.id = a.organization_id
    where a.organization_id = ${organizationId} and a.id = ${agentId} and a.deleted_at is null`.execute(db);
  return rows[0] ?? null;
}
