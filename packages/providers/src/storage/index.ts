export type { S3Settings } from './s3-file-store.ts';

import type { FileStore } from '@outdial/core';
import type { S3Settings } from './s3-file-store.ts';

/** Loads Amazon's client only if it is used, because it is large and most installations store files in Postgres. */
export async function openS3FileStore(settings: S3Settings): Promise<FileStore & { close(): void }> {
  const { createS3FileStore } = await import('./s3-file-store.ts');
  return createS3FileStore(settings);
}
