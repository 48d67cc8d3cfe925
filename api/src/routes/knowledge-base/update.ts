import { dataOnly, knowledgeBase, rolesFrom, updateKnowledgeBaseBody } from '@outdial/contracts';
import {
  findKnowledgeBase,
  inTransaction,
  lockKnowledgeBase,
  noteChange,
  updateKnowledgeBase,
} from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { requireOwnOrganization } from '../../http/principal.ts';
import { notFound, orNotFound, resourceId } from '../../http/resource-id.ts';
import { knowledgeBaseView } from './views.ts';

const what = 'Knowledge base';

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
  async ({ principal, params, body, ifMatch }, { db, clock }) => {
    const id = resourceId(params.kb_id, what);
    const { organizationId } = principal;
    const before = orNotFound(await findKnowledgeBase(db, organizationId, id), what);
    requireOwnOrganization(principal, body.organization_id);
    const row = await inTransaction(db, async (tx) => {
      await ifMatch(async () =>
        knowledgeBaseView(orNotFound(await lockKnowledgeBase(tx, organizationId, id), what)),
      );
      const after = await updateKnowledgeBase(tx, {
        organizationId,
        id,
        name: body.name ?? undefined,
        description: body.description ?? undefined,
        now: clock.now(),
      });
      if (!after) throw notFound(what);
      const shown = ({ name, description }: typeof before) => ({ name, description });
      noteChange({ type: 'knowledge_base', id, before: shown(before), after: shown(after) });
      return after;
    });
    return { data: knowledgeBaseView(row) };
  },
);
