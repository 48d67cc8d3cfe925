import { agent, envelope, rolesFrom, updateAgentBody, updated, uuid } from '@outdial/contracts';
import { inTransaction, updateAgent as updateRow } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound } from '../../http/resource-id.ts';
import { agentView, requireInstructions, requireEndpoints } from './agent-view.ts';

export const updateAgent = defineRoute(
  {
    method: 'put',
    path: '/api/v1/agents/{agent_id}',
    operationId: 'updateAgent',
    summary: 'Update an agent',
    description: 'Changes only the fields in the body. Calls in progress are not affected.',
    tag: 'agents',
    roles: rolesFrom('manager'),
    params: z.object({ agent_id: uuid }),
    body: updateAgentBody,
    response: envelope(agent),
  },
  async ({ organizationId, params, body, ifMatch, warnings }, { db, clock, config }) => {
    warnings.push(...requireEndpoints(body.config, config));
    const row = await inTransaction(db, async (tx) => {
      await requireInstructions(tx, organizationId, body.config);
      return updateRow(tx, {
        organizationId,
        agentId: params.agent_id,
        change: body,
        now: clock.now(),
        precondition: (before) => ifMatch(() => agentView(before)),
      });
    });
    if (row === null) throw notFound('Agent');
    return updated(agentView(row));
  },
);
