import { dataOnly, knowledgeBase, rolesFrom } from '@outdial/contracts';
import { deleteKnowledgeBase } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { removeFiles } from '../../http/receive-file.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { knowledgeBaseView } from './views.ts';

export const deleteKnowledgeBaseRoute = defineRoute(
  {
    method: 'delete',
    path: '/api/v1/knowledge-base/{kb_id}',
    operationId: 'deleteKnowledgeBase',
    summary: 'Delete a knowledge base and its items',
    tag: 'knowledge bases',
    roles: rolesFrom('member'),
    params: z.object({ kb_id: z.string() }),
    response: dataOnly(knowledgeBase),
  },
  async ({ organizationId, params }, { db, files, log }) => {
    const id = resourceId(params.kb_id, 'Knowledge base');
    const deleted = orNotFound(await deleteKnowledgeBase(db, organizationId, id), 'Knowledge base');
    try {
      await removeFiles({ db, files }, deleted.fileKeys);
    } catch (error) {
      // The base is deleted. The scheduler's sweep removes remaining files.
      log.warn(
        { err: error, knowledge_base_id: id },
        'could not remove the files of a deleted knowledge base; a sweep will remove them',
      );
    }
    return { data: knowledgeBaseView(deleted.knowledgeBase) };
  },
);
