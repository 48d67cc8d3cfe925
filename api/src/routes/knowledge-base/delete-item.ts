import { dataOnly, knowledgeBaseItem, rolesFrom } from '@outdial/contracts';
import { deleteItem } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { removeLetGo } from './uploaded-item.ts';
import { itemView } from './views.ts';

export const deleteItemRoute = defineRoute(
  {
    method: 'delete',
    path: '/api/v1/knowledge-base/{kb_id}/items/{item_id}',
    operationId: 'deleteKnowledgeBaseItem',
    summary: 'Delete an item',
    description:
      'Also deletes the extracted text, unless another item of the knowledge base has the same content. Returns the deleted item.',
    tag: 'knowledge bases',
    roles: rolesFrom('member'),
    params: z.object({ kb_id: z.string(), item_id: z.string() }),
    response: dataOnly(knowledgeBaseItem),
  },
  async ({ organizationId, params }, deps) => {
    const deleted = await deleteItem(deps.db, {
      organizationId,
      knowledgeBaseId: resourceId(params.kb_id, 'Knowledge base'),
      id: resourceId(params.item_id, 'Item'),
    });
    if (!deleted) throw notFound('Item');
    await removeLetGo(deps, deleted.fileKeys);
    return { data: itemView(deleted.item) };
  },
);
