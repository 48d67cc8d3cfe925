import { ingestItemJob } from '@outdial/contracts';
import { ConflictError } from '@outdial/core';
import type { ItemLimits, ItemRow } from '@outdial/db';
import type { RouteDeps } from '../../deps.ts';
import { fieldFault, HttpError } from '../../http/errors.ts';
import { removeFiles, type ReceivedFile } from '../../http/receive-file.ts';
import { notFound } from '../../http/resource-id.ts';

type ApiDeps = Pick<RouteDeps, 'db' | 'files' | 'log' | 'publisher'>;

export function acceptedFile({ kind, stored }: ReceivedFile) {
  if (kind.kind === 'refused') throw fieldFault('file', kind.reason);
  if (!stored) throw new Error('a file that is not refused is stored');
  const { key: fileKey, sizeBytes, sha256 } = stored;
  return { fileKey, sizeBytes, sha256, fileType: kind.fileType };
}

type Refused =
  | { kind: 'no_such_base' }
  | { kind: 'too_many_items' }
  | { kind: 'too_many_bytes'; bytesUsed: number };

export function refusal(result: Refused, limits: ItemLimits): Error {
  if (result.kind === 'no_such_base') return notFound('Knowledge base');
  if (result.kind === 'too_many_bytes') {
    return new StorageQuotaError(limits.bytesPerOrganization, result.bytesUsed);
  }
  return new ConflictError(
    'too_many_items',
    `The knowledge base has ${limits.itemsPerBase} items, which is the maximum`,
  );
}

/** The database has already removed them. */
export async function removeLetGo(deps: ApiDeps, keys: readonly string[]): Promise<void> {
  try {
    await removeFiles(deps, keys);
  } catch (error) {
    deps.log.warn({ err: error }, 'could not remove unused files; a sweep will remove them');
  }
}

/** The item is already stored. If the queue is unreachable, the scheduler's sweep publishes its job. */
export async function publishIngestion({ publisher, log }: ApiDeps, item: ItemRow): Promise<void> {
  if (item.status !== 'pending') return;
  try {
    await publisher.publish(ingestItemJob, { item_id: item.id });
  } catch (error) {
    log.warn(
      { err: error, item_id: item.id },
      'could not publish the job of an item; a sweep will publish it',
    );
  }
}

/** The files of the organization would exceed its limit. */
class StorageQuotaError extends HttpError {
  readonly status = 413;
  readonly code = 'storage_quota_exceeded';

  constructor(limitBytes: number, usedBytes: number) {
    super(
      `The organization can store ${limitBytes} bytes of files and has stored ${usedBytes}; this file does not fit`,
    );
  }
}
