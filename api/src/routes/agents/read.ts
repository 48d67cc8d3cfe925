import { agent, envelope, got, rolesFrom, uuid } from '@outdial/contracts';
import { findAgent } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound } from '../../http/resource-id.ts';
import { agentView } from './agent-view.ts';

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
  async ({ organizationId, params }, { db }) => {
    const row = orNotFound(await findAgent(db, { organizationId, agentId: params.agent_id }), 'Agent');
    return got(agentView(row));
  },
);
