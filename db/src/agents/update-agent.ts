import { noteChange } from '../audit/audit-scope.ts';
import type { JsonObject } from '../schema/columns.ts';
import type { Tx } from '../transaction.ts';
import type { NewSkill } from './add-skill.ts';
import { type AgentRow, findAgent } from './find-agent.ts';
import { replaceSkills } from './replace-skills.ts';

/** An omitted field does not change. `skills` replaces all skills. */
export interface AgentChange {
  name?: string | undefined;
  config?: JsonObject | undefined;
  skills?: ReadonlyArray<Omit<NewSkill, 'organizationId' | 'agentId'>> | undefined;
}

/** Returns the changed agent; null if it does not exist. */
export async function updateAgent(
  tx: Tx,
  args: {
    organizationId: string;
    agentId: string;
    change: AgentChange;
    now: Date;
    /** Runs when the agent is locked, and throws to refuse the change. */
    precondition?: (before: AgentRow) => Promise<void>;
  },
): Promise<AgentRow | null> {
  const { organizationId, agentId, change, now } = args;
  const { name, config, skills } = change;
  await tx
    .selectFrom('agents')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', agentId)
    .forNoKeyUpdate()
    .execute();
  const before = await findAgent(tx, { organizationId, agentId });
  if (before === null) return null;
  await args.precondition?.(before);
  await tx
    .updateTable('agents')
    .set({
      updated_at: now,
      ...(name === undefined ? {} : { name }),
      ...(config === undefined ? {} : { config: JSON.stringify(config) }),
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', agentId)
    .execute();
  if (skills !== undefined) await replaceSkills(tx, { organizationId, agentId, skills });
  const after = await findAgent(tx, { organizationId, agentId });
  if (after !== null) {
    noteChange({ type: 'agent', id: agentId, before: loggable(before), after: loggable(after) });
  }
  return after;
}

/** Leaves out the ids of skills, because each change inserts all skills again. */
function loggable({ name, config, skills }: AgentRow) {
  return {
    name,
    config,
    skills: skills.map((skill) => [skill.type, skill.exec_order, skill.enabled, skill.config]),
  };
}
