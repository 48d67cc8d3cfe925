import {
  agent,
  createdPosition,
  cursorParameters,
  promptRowBytesAtMost,
  rolesFrom,
} from '@outdial/contracts';
import { byInstant, listAgents as listRows } from '@outdial/db';
import { defineList } from '../../http/define-list.ts';
import { agentView } from './agent-view.ts';

export const listAgents = defineList(
  {
    path: '/api/v1/agents',
    operationId: 'listAgents',
    summary: 'List agents, newest first',
    tag: 'agents',
    roles: rolesFrom('viewer'),
    query: cursorParameters(createdPosition),
    item: agent,
    rowBytesAtMost: promptRowBytesAtMost,
  },
  async ({ organizationId, page }, { db }) => ({
    rows: await listRows(db, { organizationId, page }),
    position: byInstant,
    view: agentView,
  }),
);
