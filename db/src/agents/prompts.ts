import type { Selectable } from 'kysely';
import { isOlder, type NewestIdFirst } from '../lists/newest-first.ts';
import type { AgentPromptTable } from '../schema/agents.ts';
import type { Executor } from '../transaction.ts';
import type { AgentKey } from './skills.ts';

export type NewPrompt = Pick<PromptRow, 'level' | 'prompt'> &
  Partial<Pick<PromptRow, 'explanation' | 'mitigation' | 'harmful_intents'>>;

export type PromptRow = Selectable<AgentPromptTable>;

const promptColumns = [
  'id',
  'organization_id',
  'agent_id',
  'level',
  'prompt',
  'explanation',
  'mitigation',
  'harmful_intents',
  'created_at',
] as const;

/** Adds a version of an agent's prompt. The next call uses it. */
export async function addPrompt(db: Executor, prompt: AgentKey & NewPrompt): Promise<PromptRow> {
  const row = await db
    .insertInto('agent_prompts')
    .values({
      organization_id: prompt.organizationId,
      agent_id: prompt.agentId,
      level: prompt.level,
      prompt: prompt.prompt,
      explanation: prompt.explanation ?? '',
      mitigation: prompt.mitigation ?? '',
      harmful_intents: JSON.stringify(prompt.harmful_intents ?? []),
    })
    .returning(promptColumns)
    .executeTakeFirstOrThrow();
  return row;
}

/** The versions of an agent's prompt, newest first. */
export function listPrompts(
  db: Executor,
  { organizationId, agentId, page }: { organizationId: string; agentId: string; page: NewestIdFirst },
): Promise<PromptRow[]> {
  return db
    .selectFrom('agent_prompts')
    .select(promptColumns)
    .where('organization_id', '=', organizationId)
    .where('agent_id', '=', agentId)
    .where(isOlder('id', page.after))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute();
}
