import { createKnowledgeBaseBody, dataOnly, knowledgeBase, rolesFrom } from '@outdial/contracts';
import { createKnowledgeBase, inTransaction, noteChange } from '@outdial/db';
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
    const { organizationId } = principal;
    const { name, description } = body;
    const row = await inTransaction(db, async (tx) => {
      const made = await createKnowledgeBase(tx, { organizationId, name, description: description ?? '' });
      noteChange({ type: 'knowledge_base', id: made.id, after: { name, description } });
      return made;
    });
    return { data: knowledgeBaseView(row) };
  },
);
