import { dataOnly, knowledgeBase, rolesFrom } from '@outdial/contracts';
import { findKnowledgeBase } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { knowledgeBaseView } from './views.ts';

export const readKnowledgeBaseRoute = defineRoute(
  {
    method: 'get',
    path: '/api/v1/knowledge-base/{kb_id}',
    operationId: 'readKnowledgeBase',
    summary: 'Read a knowledge base',
    tag: 'knowledge bases',
    roles: rolesFrom('viewer'),
    params: z.object({ kb_id: z.string() }),
    response: dataOnly(knowledgeBase),
  },
  async ({ organizationId, params }, { db }) => {
    const id = resourceId(params.kb_id, 'Knowledge base');
    const row = orNotFound(await findKnowledgeBase(db, organizationId, id), 'Knowledge base');
    return { data: knowledgeBaseView(row) };
  },
);
