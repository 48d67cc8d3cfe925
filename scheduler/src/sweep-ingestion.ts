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
const publishAgainAfterSeconds = 10;
/** No upload takes longer, so the process of an older one is dead. */
const uploadsEndWithinSeconds = 3_600;
const batchSize = 500;

/** Repairs interrupted uploads and extractions. Safe to run in any number of schedulers. */
export async function sweepIngestion({ db, publisher, files }: IngestionSweepDeps): Promise<IngestionSwept> {
  const { returned, failed } = await recoverIngestions(db, batchSize);
  const itemIds = await takeUnpublishedItems(db, {
    afterSeconds: publishAgainAfterSeconds,
    limit: batchSize,
  });
  await publisher.publishMany(
    ingestItemJob,
    itemIds.map((itemId) => ({ item_id: itemId })),
  );
  const keys = await findFilesToRemove(db, {
    limit: batchSize,
    uploadsAfterSeconds: uploadsEndWithinSeconds,
  });
  for (const key of keys) {
    await files.remove(key);
    await forgetFile(db, key);
  }
  const filesRemoved = keys.length;
  return {
    done: returned + failed + filesRemoved,
    isFull: [returned + failed, itemIds.length, filesRemoved].includes(batchSize),
    returned,
    failed,
    published: itemIds.length,
    filesRemoved,
  };
}
