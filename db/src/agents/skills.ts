import type { Selectable } from 'kysely';
import type { AgentSkillTable } from '../schema/agents.ts';
import type { Executor, Tx } from '../transaction.ts';

export interface AgentKey {
  organizationId: string;
  agentId: string;
}

type Skill = Selectable<AgentSkillTable>;
export type NewSkill = Pick<Skill, 'type' | 'exec_order'> & Partial<Pick<Skill, 'enabled' | 'config'>>;

export async function addSkill(
  db: Executor,
  { organizationId, agentId, config = {}, ...skill }: AgentKey & NewSkill,
): Promise<string> {
  const row = await db
    .insertInto('agent_skills')
    .values({
      organization_id: organizationId,
      agent_id: agentId,
      type: skill.type,
      exec_order: skill.exec_order,
      enabled: skill.enabled ?? true,
      config: JSON.stringify(config),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function replaceSkills(
  tx: Tx,
  { skills, ...key }: AgentKey & { skills: readonly NewSkill[] },
): Promise<void> {
  await tx
    .deleteFrom('agent_skills')
    .where('organization_id', '=', key.organizationId)
    .where('agent_id', '=', key.agentId)
    .execute();
  for (const skill of skills) await addSkill(tx, { ...skill, ...key });
}
