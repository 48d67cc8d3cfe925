import { createKnowledgeBaseBody, dataOnly, knowledgeBase, rolesFrom } from '@outdial/contracts';
import { createKnowledgeBase, noteChange } from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { requireOwnOrganization } from '../../http/principal.ts';
import { knowledgeBaseView } from './views.ts';

const answer = dataOnly(knowledgeBase);

export const createKnowledgeBaseRoute = defineRoute(
  {
    method: 'post',
    path: '/api/v1/knowledge-base',
    operationId: 'createKnowledgeBase',
    summary: 'Create a knowledge base',
    tag: 'knowledge bases',
    roles: rolesFrom('member'),
    body: createKnowledgeBaseBody,
    unknownFields: 'warn',
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { principal, organizationId, body } = request;
    requireOwnOrganization(principal, body.organization_id);
    const { name, description } = body;
    return once(deps, request, answer, async (tx) => {
      const made = await createKnowledgeBase(tx, { organizationId, name, description: description ?? '' });
      noteChange({ type: 'knowledge_base', id: made.id, after: { name, description } });
      return { kept: { data: knowledgeBaseView(made) } };
    });
  },
);
