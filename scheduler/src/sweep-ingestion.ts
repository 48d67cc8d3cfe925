import { ingestItemJob } from '@outdial/contracts';
import type { FileStore, Swept } from '@outdial/core';
import { type Db, findFilesToRemove, forgetFile, recoverIngestions, takeUnpublishedItems } from '@outdial/db';
import type { Publisher } from '@outdial/queues';

export interface IngestionSweepDeps {
  db: Db;
  publisher: Publisher;
  files: FileStore;
}

export interface IngestionSwept extends Swept {
  /** Documents that were returned to the queue because their worker died. */
  returned: number;
  /** Documents that repeatedly crashed their workers. */
  failed: number;
  /** Jobs that were published again. */
  published: number;
  /** Removed files that no item refers to. */
  filesRemoved: number;
}

/** A job that has not started by then may be lost. A second one is harmless. */
const PUBLISH_AGAIN_AFTER_SECONDS = 10;
/** No upload takes longer, so the process of an older one is dead. */
const UPLOADS_END_WITHIN_SECONDS = 3_600;
const BATCH = 500;

/** Repairs interrupted uploads and extractions. Safe to run in any number of schedulers. */
export async function sweepIngestion({ db, publisher, files }: IngestionSweepDeps): Promise<IngestionSwept> {
  const { returned, failed } = await recoverIngestions(db, BATCH);
  const itemIds = await takeUnpublishedItems(db, {
    afterSeconds: PUBLISH_AGAIN_AFTER_SECONDS,
    limit: BATCH,
  });
  await publisher.publishMany(
    ingestItemJob,
    itemIds.map((itemId) => ({ item_id: itemId })),
  );
  const keys = await findFilesToRemove(db, {
    limit: BATCH,
    uploadsAfterSeconds: UPLOADS_END_WITHIN_SECONDS,
  });
  for (const key of keys) {
    await files.remove(key);
    await forgetFile(db, key);
  }
  const filesRemoved = keys.length;
  return {
    done: returned + failed + filesRemoved,
    isFull: [returned + failed, itemIds.length, filesRemoved].includes(BATCH),
    returned,
    failed,
    published: itemIds.length,
    filesRemoved,
  };
}
