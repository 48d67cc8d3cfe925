import { dataOnly, knowledgeBaseItem, listItemsQuery, rolesFrom } from '@outdial/contracts';
import { findKnowledgeBase, listItems } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { itemView, sliceOf } from './views.ts';

export const listItemsRoute = defineRoute(
  {
    method: 'get',
    path: '/api/v1/knowledge-base/{kb_id}/items',
    operationId: 'listKnowledgeBaseItems',
    summary: 'List items',
    description: 'Newest first; all of them unless `page` or `size` is given.',
    tag: 'knowledge bases',
    roles: rolesFrom('viewer'),
    params: z.object({ kb_id: z.string() }),
    query: listItemsQuery,
    response: dataOnly(z.array(knowledgeBaseItem)),
  },
  async ({ principal, params, query }, { db }) => {
    const knowledgeBaseId = resourceId(params.kb_id, 'Knowledge base');
    const { organizationId } = principal;
    if (!(await findKnowledgeBase(db, organizationId, knowledgeBaseId))) throw notFound('Knowledge base');
    const rows = await listItems(db, {
      organizationId,
      knowledgeBaseId,
      fileType: query.file_type,
      status: query.status,
      slice: sliceOf(query),
    });
    return { data: rows.map(itemView) };
  },
);
