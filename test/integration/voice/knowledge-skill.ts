import { createPostgresFileStore } from '@outdial/db';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { type AgentSkill, uploadKnowledge } from '../../support/voice/talking-agent.ts';
import { openWorker } from '../knowledge-base/world.ts';

/** A skill with a knowledge base of this text, which a worker has read. */
export async function knowledgeSkill(
  stack: Stack,
  organization: TestOrganization,
  knowledge: { name: string; text: string },
): Promise<AgentSkill> {
  const { db, databaseUrl, baseUrl } = stack;
  const reader = openWorker(db, createPostgresFileStore(db), { kind: 'postgres', url: databaseUrl }, {});
  try {
    const base = await uploadKnowledge({ baseUrl, apiKey: organization.apiKeys.member, ...knowledge });
    return { type: 'knowledge_base', config: { knowledge_base_ids: [base] } };
  } finally {
    await reader.close();
  }
}
