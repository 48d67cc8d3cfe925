import { createItemForm, dataOnly, knowledgeBaseItem, rolesFrom } from '@outdial/contracts';
import { addItem } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { discardUpload } from '../../http/receive-file.ts';
import { resourceId } from '../../http/resource-id.ts';
import { acceptedFile, publishIngestion, refusal, removeLetGo } from './uploaded-item.ts';
import { itemView } from './views.ts';

const answer = dataOnly(knowledgeBaseItem);

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
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { organizationId, params, file } = request;
    if (!file) throw new Error('the shell answers a form without a file');
    const accepted = acceptedFile(file);
    const { itemLimits } = deps.config;
    const knowledgeBaseId = resourceId(params.kb_id, 'Knowledge base');
    const name = request.body.name?.trim() || fileName(file.originalName);
    const notes = request.body.notes ?? null;
    const body = { name, notes, file: accepted.sha256.toString('hex') };
    let isRepeated = true;
    const kept = await once(deps, { ...request, body }, answer, async (tx) => {
      const item = { organizationId, knowledgeBaseId, name, notes, ...accepted, limits: itemLimits };
      const result = await addItem(tx, item);
      if (result.kind !== 'added') throw refusal(result, itemLimits);
      return {
        kept: { data: itemView(result.item) },
        afterCommit: async () => {
          isRepeated = false;
          // A known document already has its job.
          if (result.duplicateUpload) await removeLetGo(deps, [accepted.fileKey]);
          else await publishIngestion(deps, result.item);
        },
      };
    });
    if (isRepeated) await discardUpload(deps, accepted.fileKey);
    return kept;
  },
);

/** A form may have any name. Names that are not text, or are empty after cleaning, count as missing. */
function fileName(original: string): string {
  const visible = original.replaceAll(/\p{Cc}/gu, '').trim();
  return visible.slice(0, 255).toWellFormed() || 'unnamed';
}
