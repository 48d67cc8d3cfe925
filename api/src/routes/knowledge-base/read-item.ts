import { dataOnly, knowledgeBaseItemWithContent, rolesFrom } from '@outdial/contracts';
import { findItem, readContent } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { itemVersion, itemView } from './views.ts';

export const readItemRoute = defineRoute(
  {
    method: 'get',
    path: '/api/v1/knowledge-base/{kb_id}/items/{item_id}',
    operationId: 'readKnowledgeBaseItem',
    summary: 'Read an item',
    description: 'Includes the extracted text, with pages separated by form feeds.',
    tag: 'knowledge bases',
    roles: rolesFrom('viewer'),
    params: z.object({ kb_id: z.string(), item_id: z.string() }),
    response: dataOnly(knowledgeBaseItemWithContent),
    versionOf: itemVersion,
  },
  async ({ organizationId, params }, { db }) => {
    const knowledgeBaseId = resourceId(params.kb_id, 'Knowledge base');
    const id = resourceId(params.item_id, 'Item');
    const row = orNotFound(await findItem(db, { organizationId, knowledgeBaseId, id }), 'Item');
    const content =
      row.status === 'ready' ? await readContent(db, { organizationId, documentId: row.document_id }) : null;
    return { data: { ...itemView(row), content } };
  },
);
