import type { JsonObject } from '../schema/columns.ts';
import type { Executor, Tx } from '../transaction.ts';

export interface NewSkill {
  organizationId: string;
  agentId: string;
  type: string;
  execOrder: string;
  enabled?: boolean;
  config?: JsonObject;
}

export async function addSkill(db: Executor, skill: NewSkill): Promise<string> {
  const row = await db
    .insertInto('agent_skills')
    .values({
      organization_id: skill.organizationId,
      agent_id: skill.agentId,
      type: skill.type,
      exec_order: skill.execOrder,
      enabled: skill.enabled ?? true,
      config: JSON.stringify(skill.config ?? {}),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function replaceSkills(
  tx: Tx,
  args: {
    organizationId: string;
    agentId: string;
    skills: ReadonlyArray<Omit<NewSkill, 'organizationId' | 'agentId'>>;
  },
): Promise<void> {
  const { organizationId, agentId, skills } = args;
  await tx
    .deleteFrom('agent_skills')
    .where('organization_id', '=', organizationId)
    .where('agent_id', '=', agentId)
    .execute();
  for (const skill of skills) await addSkill(tx, { organizationId, agentId, ...skill });
}
