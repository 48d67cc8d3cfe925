import { dataOnly, knowledgeBase, rolesFrom, updateKnowledgeBaseBody } from '@outdial/contracts';
import { findKnowledgeBase, updateKnowledgeBase } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { requireOwnOrganization } from '../../http/principal.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { knowledgeBaseView } from './views.ts';

export const updateKnowledgeBaseRoute = defineRoute(
  {
    method: 'put',
    path: '/api/v1/knowledge-base/{kb_id}',
    operationId: 'updateKnowledgeBase',
    summary: 'Update a knowledge base',
    tag: 'knowledge bases',
    roles: rolesFrom('member'),
    params: z.object({ kb_id: z.string() }),
    body: updateKnowledgeBaseBody,
    unknownFields: 'warn',
    response: dataOnly(knowledgeBase),
  },
  async ({ principal, params, body }, { db, clock }) => {
    const id = resourceId(params.kb_id, 'Knowledge base');
    const { organizationId } = principal;
    if (!(await findKnowledgeBase(db, organizationId, id))) throw notFound('Knowledge base');
    requireOwnOrganization(principal, body.organization_id);
    const row = await updateKnowledgeBase(db, {
      organizationId,
      id,
      name: body.name ?? undefined,
      description: body.description ?? undefined,
      now: clock.now(),
    });
    if (!row) throw notFound('Knowledge base');
    return { data: knowledgeBaseView(row) };
  },
);
