import {
  agent,
  createAgentBody,
  created,
  envelope,
  promptBodyBytesAtMost,
  rolesFrom,
} from '@outdial/contracts';
import { addPrompt, addSkill, createAgent as insertAgent, findAgent, noteChange } from '@outdial/db';
import { singleBraceWarnings } from '@outdial/engine';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { orNotFound } from '../../http/resource-id.ts';
import { agentView, requireInstructions, requireEndpoints } from './agent-view.ts';

const answer = envelope(agent);

export const createAgent = defineRoute(
  {
    method: 'post',
    path: '/api/v1/agents',
    operationId: 'createAgent',
    summary: 'Create an agent',
    description: 'The agent can make calls once it has a prompt.',
    tag: 'agents',
    roles: rolesFrom('manager'),
    body: createAgentBody,
    bodyBytesAtMost: promptBodyBytesAtMost,
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { body, warnings, organizationId } = request;
    warnings.push(...singleBraceWarnings(body.prompt, ['body', 'prompt']));
    warnings.push(...requireEndpoints(body.config, deps.config));
    return once(deps, request, answer, async (tx) => {
      await requireInstructions(tx, organizationId, body.config);
      const agentId = await insertAgent(tx, { organizationId, name: body.name, config: body.config });
      for (const skill of body.skills) await addSkill(tx, { organizationId, agentId, ...skill });
      if (body.prompt != null) {
        await addPrompt(tx, { organizationId, agentId, level: 1, prompt: body.prompt });
      }
      const row = orNotFound(await findAgent(tx, { organizationId, agentId }), 'Agent');
      noteChange({ type: 'agent', id: agentId, after: body });
      return { kept: created(agentView(row)) };
    });
  },
);
