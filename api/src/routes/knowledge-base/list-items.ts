import { dataOnly, knowledgeBaseItem, listItemsQuery, rolesFrom } from '@outdial/contracts';
import { findKnowledgeBase, listItems } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { rowsInChunks } from '../../http/rows-in-chunks.ts';
import { answerList, sliceOf } from './answer-list.ts';
import { itemView, rowBytesAtMost } from './views.ts';

export const listItemsRoute = defineRoute(
  {
    method: 'get',
    path: '/api/v1/knowledge-base/{kb_id}/items',
    operationId: 'listKnowledgeBaseItems',
    summary: 'List items',
    description: 'Newest first. Returns all items unless `page` or `size` is given.',
    tag: 'knowledge bases',
    roles: rolesFrom('viewer'),
    params: z.object({ kb_id: z.string() }),
    query: listItemsQuery,
    response: dataOnly(z.array(knowledgeBaseItem)),
  },
  async ({ organizationId, params, query, res }, deps) => {
    const knowledgeBaseId = resourceId(params.kb_id, 'Knowledge base');
    orNotFound(await findKnowledgeBase(deps.db, organizationId, knowledgeBaseId), 'Knowledge base');
    const filter = {
      organizationId,
      knowledgeBaseId,
      fileType: query.file_type,
      status: query.status,
    };
    const rows = rowsInChunks(
      {
        rowBytesAtMost,
        ...sliceOf(query),
        read: (page, offset) => listItems(deps.db, { ...filter, page, offset }),
      },
      (row) => itemView(row),
    );
    return answerList(res, deps, { organizationId, rows });
  },
);
