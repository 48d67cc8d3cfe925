export type { S3Settings } from './s3-file-store.ts';

import type { FileStore } from '@outdial/core';
import type { S3Settings } from './s3-file-store.ts';

/** Loads Amazon's client only where it is used: it is large, and most installations keep files in Postgres. */
export async function openS3FileStore(settings: S3Settings): Promise<FileStore & { close(): void }> {
  const { createS3FileStore } = await import('./s3-file-store.ts');
  return createS3FileStore(settings);
}
