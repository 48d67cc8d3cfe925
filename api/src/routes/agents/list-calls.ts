import {
  agentCalls,
  callFilterShape,
  envelope,
  got,
  pageParameters,
  rolesFrom,
  uuid,
} from '@outdial/contracts';
import { type AgentRow, findAgent, listCalls } from '@outdial/db';
import { z } from 'zod';
import { answerPieces } from '../../http/answer-pieces.ts';
import { baseUrl } from '../../http/base-url.ts';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound } from '../../http/resource-id.ts';
import { rowsInChunks } from '../../http/rows-in-chunks.ts';
import { callBytesAtMost, callView, callFilters } from '../calls/call-view.ts';

export const listAgentCalls = defineRoute(
  {
    method: 'get',
    path: '/api/v1/agents/{agent_id}/calls',
    operationId: 'listAgentCalls',
    summary: "Read an agent's calls",
    description: 'Returns the newest 100 unless `page` and `size` are given.',
    tag: 'agents',
    roles: rolesFrom('viewer'),
    params: z.object({ agent_id: uuid }),
    query: pageParameters({ defaultSize: 100 }).extend(callFilterShape),
    response: envelope(agentCalls),
  },
  async ({ organizationId, params, query, req, res }, { db, config, longAnswers }) => {
    const agent = orNotFound(await findAgent(db, { organizationId, agentId: params.agent_id }), 'Agent');
    const base = baseUrl(req, config);

    const calls = rowsInChunks(
      {
        rowBytesAtMost: callBytesAtMost,
        limit: query.size,
        offset: (query.page - 1) * query.size,
        read: (page, offset) =>
          listCalls(db, {
            organizationId,
            agentId: agent.id,
            filters: callFilters(query),
            page,
            offset,
          }),
      },
      (row) => callView(row, base),
    );
    return answerPieces(res, { longAnswers, organizationId }, agentCallsText(agent, calls));
  },
);

async function* agentCallsText(
  agent: AgentRow,
  calls: AsyncGenerator<string, void>,
): AsyncGenerator<string, void> {
  const { id, name, organization_id, config } = agent;
  const begin = JSON.stringify(got({ id, name, organization_id, config }));
  yield `${begin.slice(0, -2)},"calls":[`;
  yield* calls;
  yield ']}}';
}
