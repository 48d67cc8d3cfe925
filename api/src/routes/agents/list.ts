import {
  agent,
  createdPosition,
  cursorList,
  cursorListOf,
  cursorParameters,
  envelope,
  got,
  rolesFrom,
} from '@outdial/contracts';
import { listAgents as listRows } from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { newestFirst } from '../../http/newest-first.ts';
import { agentView } from './agent-view.ts';

export const listAgents = defineRoute(
  {
    method: 'get',
    path: '/api/v1/agents',
    operationId: 'listAgents',
    summary: "List the organization's agents, newest first",
    tag: 'agents',
    roles: rolesFrom('viewer'),
    query: cursorParameters(createdPosition),
    response: envelope(cursorList(agent)),
  },
  async ({ principal: { organizationId }, query }, { db }) => {
    const rows = await listRows(db, { organizationId, page: newestFirst(query) });
    return got(
      cursorListOf(rows, query.limit, { position: (row) => [row.row_instant, row.id], item: agentView }),
    );
  },
);
