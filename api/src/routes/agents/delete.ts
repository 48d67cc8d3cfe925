import { agent, deleted, envelope, rolesFrom, uuid } from '@outdial/contracts';
import { ConflictError } from '@outdial/core';
import { deleteAgent as deleteRow, findAgent, inTransaction } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound } from '../../http/resource-id.ts';
import { agentView } from './agent-view.ts';

export const deleteAgent = defineRoute(
  {
    method: 'delete',
    path: '/api/v1/agents/{agent_id}',
    operationId: 'deleteAgent',
    summary: 'Delete an agent',
    description:
      'Finished campaigns and past calls keep their records. Returns 409 while an unfinished campaign or a call in progress uses the agent.',
    tag: 'agents',
    roles: rolesFrom('manager'),
    params: z.object({ agent_id: uuid }),
    response: envelope(agent),
    errors: [409],
  },
  async ({ organizationId, params }, { db, clock }) => {
    const key = { organizationId, agentId: params.agent_id };
    const row = await findAgent(db, key);
    const result = await inTransaction(db, (tx) => deleteRow(tx, { ...key, now: clock.now() }));
    if (row === null || result.kind === 'not_found') throw notFound('Agent');
    if (result.kind === 'in_use') {
      throw new ConflictError(
        'agent_in_use',
        result.campaigns > 0
          ? `The agent is used by ${result.campaigns} unfinished campaigns`
          : 'The agent has calls in progress',
      );
    }
    return deleted(agentView(row));
  },
);
