import type { Tx } from '../transaction.ts';
import { addSkill, type NewSkill } from './add-skill.ts';

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
