import { dataOnly, knowledgeBaseItem, rolesFrom, updateItemBody } from '@outdial/contracts';
import { changeItem, findItem } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { requireOwnOrganization } from '../../http/principal.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { acceptedFile, publishIngestion, refusal, removeLetGo } from './uploaded-item.ts';
import { itemVersion, itemView } from './views.ts';

export const updateItemRoute = defineRoute(
  {
    method: 'put',
    path: '/api/v1/knowledge-base/{kb_id}/items/{item_id}',
    operationId: 'updateKnowledgeBaseItem',
    summary: 'Update an item',
    description:
      'Replaces the file, the name or the notes, whichever are given. The text of a new file is extracted in the background; until then, the item is `pending`.',
    tag: 'knowledge bases',
    roles: rolesFrom('member'),
    params: z.object({ kb_id: z.string(), item_id: z.string() }),
    upload: {
      field: 'file',
      description: 'A PDF or a text file that replaces the current one.',
      optional: true,
    },
    body: updateItemBody,
    response: dataOnly(knowledgeBaseItem),
    versionOf: itemVersion,
  },
  async ({ principal, params, body, file, ifMatch }, deps) => {
    const { itemLimits } = deps.config;
    const address = {
      organizationId: principal.organizationId,
      knowledgeBaseId: resourceId(params.kb_id, 'Knowledge base'),
      id: resourceId(params.item_id, 'Item'),
    };
    const accepted = file && { ...acceptedFile(file), limits: itemLimits };
    if (!(await findItem(deps.db, address))) throw notFound('Item');
    requireOwnOrganization(principal, body.organization_id);
    const result = await changeItem(deps.db, {
      ...address,
      name: body.name?.trim(),
      notes: body.notes,
      file: accepted,
      precondition: (before) => ifMatch(() => itemView(before)),
    });
    if (result.kind === 'no_such_item') throw notFound('Item');
    if (result.kind !== 'changed') throw refusal(result, itemLimits);
    const { before, item, fileKeys } = result;
    await removeLetGo(deps, fileKeys);
    if (item.document_id !== before.document_id) await publishIngestion(deps, item);
    return { data: itemView(item) };
  },
);
