import { type Agent, agent, envelope, got, rolesFrom, uuid } from '@outdial/contracts';
import { type AgentRow, findAgent } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound } from '../../http/resource-id.ts';

export const readAgent = defineRoute(
  {
    method: 'get',
    path: '/api/v1/agents/{agent_id}',
    operationId: 'readAgent',
    summary: 'Read an agent with its skills and its latest prompt',
    tag: 'agents',
    roles: rolesFrom('viewer'),
    params: z.object({ agent_id: uuid }),
    response: envelope(agent),
  },
  async ({ principal: { organizationId }, params }, { db }) => {
    const row = await findAgent(db, { organizationId, agentId: params.agent_id });
    if (row === null) {
      throw notFound('Agent');
    }
    return got(agentView(row));
  },
);

function agentView(row: AgentRow): Agent {
  const owner = { agent_id: row.id, organization_id: row.organization_id };
  return {
    id: row.id,
    name: row.name,
    organization: { name: row.organization_name },
    organization_id: row.organization_id,
    skills: row.skills.map((skill) => ({ ...skill, agent_id: row.id })),
    latest_prompt: row.prompt === null ? null : { ...row.prompt, ...owner },
    config: row.config,
  };
}
