import { hash } from 'node:crypto';

/** How long answers are stored (docs/behaviour.md). */
export const idempotencyRetentionHours = 24;

/** How a key is stored: clients put telephone numbers into keys, so only a hash, with the organization and the path as salt. */
export function storedKey({ organizationId, path, key }: IdempotentRequest): string {
  return `sha256:${hash('sha256', JSON.stringify([organizationId, path, key]), 'base64url')}`;
}

export interface IdempotentRequest {
  organizationId: string;
  method: string;
  path: string;
  key: string;
  /** SHA-256. */
  bodyHash: Buffer;
}
