import { createKnowledgeBaseBody, dataOnly, knowledgeBase, rolesFrom } from '@outdial/contracts';
import { createKnowledgeBase } from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { requireOwnOrganization } from '../../http/principal.ts';
import { knowledgeBaseView } from './views.ts';

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
    response: dataOnly(knowledgeBase),
  },
  async ({ principal, body }, { db }) => {
    requireOwnOrganization(principal, body.organization_id);
    const row = await createKnowledgeBase(db, {
      organizationId: principal.organizationId,
      name: body.name,
      description: body.description ?? '',
    });
    return { data: knowledgeBaseView(row) };
  },
);
