import {
  createItemForm,
  dataOnly,
  ingestionOf,
  ingestItemJob,
  knowledgeBaseItem,
  rolesFrom,
} from '@outdial/contracts';
import { ConflictError } from '@outdial/core';
import { addItem, type AddItemResult, type ItemLimits, type ItemRow } from '@outdial/db';
import { z } from 'zod';
import type { ApiDeps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { HttpError, ValidationError } from '../../http/errors.ts';
import { removeFiles } from '../../http/receive-file.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { itemView } from './views.ts';

export const uploadItemRoute = defineRoute(
  {
    method: 'post',
    path: '/api/v1/knowledge-base/{kb_id}/items',
    operationId: 'uploadKnowledgeBaseItem',
    summary: 'Upload an item',
    description: 'What the file is, is told by its content. Its text is extracted in the background.',
    tag: 'knowledge bases',
    roles: rolesFrom('member'),
    params: z.object({ kb_id: z.string() }),
    upload: { field: 'file', description: 'A PDF or a text file' },
    body: createItemForm,
    unknownFields: 'warn',
    response: dataOnly(knowledgeBaseItem),
    errors: [409],
  },
  async ({ principal, params, body, file }, deps) => {
    if (!file) throw new Error('the shell answers a form without a file');
    if (file.kind.kind === 'refused') {
      throw new ValidationError([{ loc: ['body', 'file'], msg: file.kind.reason, type: 'value_error' }]);
    }
    if (!file.stored) throw new Error('a file that is not refused is stored');
    const { organizationId } = principal;
    const { key, sizeBytes, sha256 } = file.stored;
    const { itemLimits } = deps.config;
    const result = await addItem(deps.db, {
      organizationId,
      knowledgeBaseId: resourceId(params.kb_id, 'Knowledge base'),
      name: body.name?.trim() || fileName(file.originalName),
      notes: body.notes ?? null,
      fileKey: key,
      fileType: file.kind.fileType,
      sizeBytes,
      sha256,
      limits: itemLimits,
    });
    if (result.kind !== 'added') throw refusal(result, itemLimits);
    // A document that was there already has its job.
    if (result.duplicateUpload) await removeDuplicate(deps, key);
    else await publish(deps, result.item);
    return { data: itemView(result.item) };
  },
);

/** A name as a form gives it may hold anything; what is no text, or none is left of, is no name. */
function fileName(original: string): string {
  const visible = original.replaceAll(/\p{Cc}/gu, '').trim();
  return visible.slice(0, 255).toWellFormed() || 'unnamed';
}

function refusal(result: Exclude<AddItemResult, { kind: 'added' }>, limits: ItemLimits): Error {
  if (result.kind === 'no_such_base') return notFound('Knowledge base');
  if (result.kind === 'too_many_bytes') {
    return new StorageQuotaError(limits.bytesPerOrganization, result.bytesUsed);
  }
  return new ConflictError(
    'too_many_items',
    `The knowledge base holds ${limits.itemsPerBase} items, which is all that it may`,
  );
}

async function removeDuplicate(deps: ApiDeps, key: string): Promise<void> {
  try {
    await removeFiles(deps, [key]);
  } catch (error) {
    deps.log.warn({ err: error }, 'the second copy of a file is left for the sweep');
  }
}

/** The item is kept already: where the queue cannot be reached, the scheduler's sweep publishes it. */
async function publish({ publisher, log }: ApiDeps, item: ItemRow): Promise<void> {
  if (item.status !== 'pending') return;
  try {
    await publisher.publish(ingestItemJob, ingestionOf({ itemId: item.id, sizeBytes: item.size_bytes }));
  } catch (error) {
    log.warn({ err: error, item_id: item.id }, 'an item waits for the sweep to be published');
  }
}

/** Files of the organization would pass what it may keep. */
class StorageQuotaError extends HttpError {
  readonly status = 413;
  readonly code = 'storage_quota_exceeded';

  constructor(limitBytes: number, usedBytes: number) {
    super(
      `The organization may keep ${limitBytes} bytes of files and keeps ${usedBytes}; this file does not fit`,
    );
  }
}
