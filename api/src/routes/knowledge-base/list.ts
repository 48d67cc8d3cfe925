import { dataOnly, knowledgeBase, listKnowledgeBasesQuery, rolesFrom } from '@outdial/contracts';
import { listKnowledgeBases } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { knowledgeBaseView, sliceOf } from './views.ts';

export const listKnowledgeBasesRoute = defineRoute(
  {
    method: 'get',
    path: '/api/v1/knowledge-base',
    operationId: 'listKnowledgeBases',
    summary: 'List knowledge bases',
    description: 'Newest first; all of them unless `page` or `size` is given.',
    tag: 'knowledge bases',
    roles: rolesFrom('viewer'),
    query: listKnowledgeBasesQuery,
    response: dataOnly(z.array(knowledgeBase)),
  },
  async ({ principal, query }, { db }) => {
    const rows = await listKnowledgeBases(db, principal.organizationId, sliceOf(query));
    return { data: rows.map(knowledgeBaseView) };
  },
);
