import { createItemForm, dataOnly, knowledgeBaseItem, rolesFrom } from '@outdial/contracts';
import { addItem } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { resourceId } from '../../http/resource-id.ts';
import { acceptedFile, publishIngestion, refusal, removeLetGo } from './uploaded-item.ts';
import { itemView } from './views.ts';

export const uploadItemRoute = defineRoute(
  {
    method: 'post',
    path: '/api/v1/knowledge-base/{kb_id}/items',
    operationId: 'uploadKnowledgeBaseItem',
    summary: 'Upload an item',
    description: 'The file type is determined from the content. The text is extracted in the background.',
    tag: 'knowledge bases',
    roles: rolesFrom('member'),
    params: z.object({ kb_id: z.string() }),
    upload: { field: 'file', description: 'A PDF or a text file.' },
    body: createItemForm,
    unknownFields: 'warn',
    response: dataOnly(knowledgeBaseItem),
    errors: [409],
  },
  async ({ organizationId, params, body, file }, deps) => {
    if (!file) throw new Error('the shell answers a form without a file');
    const accepted = acceptedFile(file);
    const { itemLimits } = deps.config;
    const result = await addItem(deps.db, {
      organizationId,
      knowledgeBaseId: resourceId(params.kb_id, 'Knowledge base'),
      name: body.name?.trim() || fileName(file.originalName),
      notes: body.notes ?? null,
      ...accepted,
      limits: itemLimits,
    });
    if (result.kind !== 'added') throw refusal(result, itemLimits);
    // A known document already has its job.
    if (result.duplicateUpload) await removeLetGo(deps, [accepted.fileKey]);
    else await publishIngestion(deps, result.item);
    return { data: itemView(result.item) };
  },
);

/** A form may have any name. Names that are not text, or are empty after cleaning, count as missing. */
function fileName(original: string): string {
  const visible = original.replaceAll(/\p{Cc}/gu, '').trim();
  return visible.slice(0, 255).toWellFormed() || 'unnamed';
}
