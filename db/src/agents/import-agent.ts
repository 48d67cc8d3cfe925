import { noteChange } from '../audit/audit-scope.ts';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor, Tx } from '../transaction.ts';
import {
  createAgent,
  type AgentRow,
  findAgent,
  addPrompt,
  type NewPrompt,
  type NewSkill,
  replaceSkills,
} from './agents.ts';

export interface AgentImport {
  organizationId: string;
  name: string;
  config: JsonObject;
  skills: readonly NewSkill[];
  /** Oldest first; the last one is the agent's prompt. */
  prompts: readonly NewPrompt[];
}

/** More than one agent has this name, so it is unclear which one to change. */
export class AmbiguousAgentNameError extends Error {
  readonly code = 'ambiguous_agent_name';
}

/**
 * Creates the agent of a file, or updates the agent with its name. Prompts are versions: an existing agent only gets the last one of the file,
 * and only if it differs from its newest.
 */
export async function importAgent(
  tx: Tx,
  agent: AgentImport,
  now: Date,
): Promise<{ agentId: string; isNew: boolean; promptsAdded: number }> {
  const { organizationId } = agent;
  const [known, another] = await findAgentsByName(tx, agent);
  if (another !== undefined) throw new AmbiguousAgentNameError(`more than one agent is named ${agent.name}`);
  const agentId = known ?? (await createAgent(tx, agent));
  if (known !== undefined) {
    await tx
      .updateTable('agents')
      .set({ config: JSON.stringify(agent.config), updated_at: now })
      .where('organization_id', '=', organizationId)
      .where('id', '=', agentId)
      .execute();
  }
  await replaceSkills(tx, { organizationId, agentId, skills: agent.skills });
  const newest = (await findAgent(tx, { organizationId, agentId }))?.prompt ?? null;
  const last = agent.prompts.at(-1);
  const prompts = newest !== null && (last === undefined || isSame(newest, last)) ? [] : agent.prompts;
  const toAdd = newest === null ? prompts : prompts.slice(-1);
  for (const prompt of toAdd) await addPrompt(tx, { organizationId, agentId, ...prompt });
  noteChange({
    type: 'agent',
    id: agentId,
    after: { name: agent.name, config: agent.config, prompts_added: toAdd.length },
  });
  return { agentId, isNew: known === undefined, promptsAdded: toAdd.length };
}

/** The ids of the agents with a name, at most two. Locks them. */
export async function findAgentsByName(
  db: Executor,
  { organizationId, name }: { organizationId: string; name: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom('agents')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .limit(2)
    .forUpdate()
    .execute();
  return rows.map((row) => row.id);
}

function isSame(newest: NonNullable<AgentRow['prompt']>, last: NewPrompt): boolean {
  return (
    newest.level === last.level &&
    newest.prompt === last.prompt &&
    newest.explanation === (last.explanation ?? '') &&
    newest.mitigation === (last.mitigation ?? '') &&
    JSON.stringify(newest.harmful_intents) === JSON.stringify(last.harmful_intents ?? [])
  );
}
