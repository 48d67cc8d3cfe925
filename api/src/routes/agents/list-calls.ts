import {
  agentCalls,
  callFilterShape,
  envelope,
  got,
  pageParameters,
  rolesFrom,
  uuid,
} from '@outdial/contracts';
import { findAgent, listCallsOfAgent } from '@outdial/db';
import { z } from 'zod';
import { baseUrl } from '../../http/base-url.ts';
import { defineRoute } from '../../http/define-route.ts';
import { notFound } from '../../http/resource-id.ts';
import { callFilters } from '../calls/call-filters.ts';
import { callView } from '../calls/call-view.ts';

export const listAgentCalls = defineRoute(
  {
    method: 'get',
    path: '/api/v1/agents/{agent_id}/calls',
    operationId: 'listAgentCalls',
    summary: "Read an agent's calls",
    description: 'The newest 100, unless `page` and `size` ask for others.',
    tag: 'agents',
    roles: rolesFrom('viewer'),
    params: z.object({ agent_id: uuid }),
    query: pageParameters({ defaultSize: 100 }).extend(callFilterShape),
    response: envelope(agentCalls),
  },
  async ({ principal: { organizationId }, params, query, req }, { db, config }) => {
    const agent = await findAgent(db, { organizationId, agentId: params.agent_id });
    if (agent === null) {
      throw notFound('Agent');
    }
    const calls = await listCallsOfAgent(db, {
      organizationId,
      agentId: agent.id,
      filters: callFilters(query),
      limit: query.size,
      offset: (query.page - 1) * query.size,
    });
    const base = baseUrl(req, config);
    return got({
      id: agent.id,
      name: agent.name,
      organization_id: agent.organization_id,
      config: agent.config,
      calls: calls.map((row) => callView(row, base)),
    });
  },
);
