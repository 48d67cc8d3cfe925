import { dataOnly, passage, type PassageView, rolesFrom, searchQuery } from '@outdial/contracts';
import { boundedQuestion, unspacedParts } from '@outdial/core';
import { findKnowledgeBase, searchPassages, type FoundPassage } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { highlight } from './highlight.ts';

export const searchKnowledgeBaseRoute = defineRoute(
  {
    method: 'get',
    path: '/api/v1/knowledge-base/{kb_id}/search',
    operationId: 'searchKnowledgeBase',
    summary: 'Search a knowledge base',
    description:
      'Returns the best matching passages, best first. Also accepts, as `Authorization: Bearer`, the token that a voice runtime received with a call, for the knowledge bases of that call.',
    tag: 'knowledge bases',
    roles: rolesFrom('viewer'),
    searchToken: true,
    params: z.object({ kb_id: z.string() }),
    query: searchQuery,
    response: dataOnly(z.array(passage)),
  },
  async ({ principal, params, query }, { db }) => {
    const knowledgeBaseId = resourceId(params.kb_id, 'Knowledge base');
    const { organizationId, knowledgeBaseIds } = principal;
    const outOfScope = knowledgeBaseIds !== undefined && !knowledgeBaseIds.includes(knowledgeBaseId);
    // A base that the call may not search looks like one that does not exist.
    if (outOfScope || !(await findKnowledgeBase(db, organizationId, knowledgeBaseId))) {
      throw notFound('Knowledge base');
    }
    const question = boundedQuestion(query.q);
    const found = await searchPassages(db, {
      organizationId,
      knowledgeBaseId,
      question,
      limit: query.limit,
    });
    const parts = unspacedParts(question);
    return { data: found.map((row) => passageView(row, parts)) };
  },
);

function passageView(row: FoundPassage, parts: readonly string[]): PassageView {
  return {
    item_id: row.item_id,
    item_name: row.item_name,
    page: row.page,
    position: row.position,
    score: row.score,
    text: row.text,
    highlight: highlight(row.marked, parts),
  };
}
