import type { Executor } from '../transaction.ts';

export interface NewPrompt {
  organizationId: string;
  agentId: string;
  level: number;
  prompt: string;
  explanation?: string;
  mitigation?: string;
  harmfulIntents?: readonly unknown[];
}

/** Adds a version of an agent's prompt, which its next call uses. Gives the id. */
export async function addPrompt(db: Executor, prompt: NewPrompt): Promise<string> {
  const row = await db
    .insertInto('agent_prompts')
    .values({
      organization_id: prompt.organizationId,
      agent_id: prompt.agentId,
      level: prompt.level,
      prompt: prompt.prompt,
      explanation: prompt.explanation ?? '',
      mitigation: prompt.mitigation ?? '',
      harmful_intents: JSON.stringify(prompt.harmfulIntents ?? []),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}
