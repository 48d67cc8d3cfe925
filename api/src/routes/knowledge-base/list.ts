import { dataOnly, knowledgeBase, listKnowledgeBasesQuery, rolesFrom } from '@outdial/contracts';
import { listKnowledgeBases } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { rowsInChunks } from '../../http/rows-in-chunks.ts';
import { answerList, sliceOf } from './answer-list.ts';
import { knowledgeBaseView, rowBytesAtMost } from './views.ts';

export const listKnowledgeBasesRoute = defineRoute(
  {
    method: 'get',
    path: '/api/v1/knowledge-base',
    operationId: 'listKnowledgeBases',
    summary: 'List knowledge bases',
    description: 'Newest first. Returns all knowledge bases unless `page` or `size` is given.',
    tag: 'knowledge bases',
    roles: rolesFrom('viewer'),
    query: listKnowledgeBasesQuery,
    response: dataOnly(z.array(knowledgeBase)),
  },
  async ({ organizationId, query, res }, deps) => {
    const rows = rowsInChunks(
      {
        rowBytesAtMost,
        ...sliceOf(query),
        read: (page, offset) => listKnowledgeBases(deps.db, { organizationId, page, offset }),
      },
      (row) => knowledgeBaseView(row),
    );
    return answerList(res, deps, { organizationId, rows });
  },
);
