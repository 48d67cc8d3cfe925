import {
  addPromptBody,
  created,
  cursorParameters,
  envelope,
  promptBodyBytesAtMost,
  promptPosition,
  promptRowBytesAtMost,
  promptVersion,
  rolesFrom,
  uuid,
  viewOf,
} from '@outdial/contracts';
import { byId, addPrompt as insertPrompt, findAgent, listPrompts as listRows, noteChange } from '@outdial/db';
import { singleBraceWarnings } from '@outdial/engine';
import { z } from 'zod';
import { defineList } from '../../http/define-list.ts';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { notFound } from '../../http/resource-id.ts';

const answer = envelope(promptVersion);
const promptView = viewOf(promptVersion);

export const addPrompt = defineRoute(
  {
    method: 'post',
    path: '/api/v1/agents/{agent_id}/prompts',
    operationId: 'addPrompt',
    summary: "Add a version of an agent's prompt",
    description:
      "The prompt becomes the agent's `latest_prompt`. Past calls keep the version with which they were made.",
    tag: 'agents',
    roles: rolesFrom('manager'),
    params: z.object({ agent_id: uuid }),
    body: addPromptBody,
    bodyBytesAtMost: promptBodyBytesAtMost,
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { body, warnings, organizationId } = request;
    warnings.push(...singleBraceWarnings(body.prompt, ['body', 'prompt']));
    const agentId = request.params.agent_id;
    return once(deps, request, answer, async (tx) => {
      if ((await findAgent(tx, { organizationId, agentId })) === null) throw notFound('Agent');
      const { level, prompt } = body;
      const row = await insertPrompt(tx, { organizationId, agentId, ...body });
      noteChange({ type: 'agent', id: agentId, after: { prompt, level } });
      return { kept: created(promptView(row)) };
    });
  },
);

export const listPrompts = defineList(
  {
    path: '/api/v1/agents/{agent_id}/prompts',
    operationId: 'listPrompts',
    summary: "List the versions of an agent's prompt, newest first",
    tag: 'agents',
    roles: rolesFrom('viewer'),
    params: z.object({ agent_id: uuid }),
    query: cursorParameters(promptPosition),
    item: promptVersion,
    rowBytesAtMost: promptRowBytesAtMost,
  },
  async ({ organizationId, params, page }, { db }) => {
    const agentId = params.agent_id;
    if ((await findAgent(db, { organizationId, agentId })) === null) throw notFound('Agent');
    return { rows: await listRows(db, { organizationId, agentId, page }), position: byId, view: promptView };
  },
);
