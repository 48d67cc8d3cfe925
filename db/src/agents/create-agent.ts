import type { JsonObject } from '../schema/columns.ts';
import type { Executor } from '../transaction.ts';

export interface NewAgent {
  organizationId: string;
  name: string;
  config?: JsonObject;
}

export async function createAgent(db: Executor, agent: NewAgent): Promise<string> {
  const row = await db
    .insertInto('agents')
    .values({
      organization_id: agent.organizationId,
      name: agent.name,
      config: JSON.stringify(agent.config ?? {}),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}
